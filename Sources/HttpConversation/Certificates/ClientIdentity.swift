/// A certificate with its private key: what a client shows to a server that asks who it is in the TLS handshake.
///
/// `HttpConvCertificates` makes one of a PKCS#12 or PEM file. Nothing of the key is ever printed.
public struct ClientIdentity: Sendable {
    /// The certificates in DER, the client's own first, then those that lead towards its authority.
    public let certificates: [[UInt8]]
    /// The key of the first certificate.
    public let privateKey: PrivateKey
    /// What the first certificate says.
    public let summary: CertificateSummary

    /// A private key. How it is held may differ: ask for no more than the transport has to know.
    public struct PrivateKey: Hashable, Sendable {
        package enum Storage: Hashable, Sendable {
            case der(Redacted<[UInt8]>)
        }

        package let storage: Storage

        /// A key in DER: PKCS#8, or the traditional form of RSA and EC keys.
        public static func der(_ bytes: [UInt8]) -> PrivateKey { PrivateKey(storage: .der(Redacted(bytes))) }
    }

    /// Puts an identity together; whether key and certificates belong together is not checked here.
    public init(certificates: [[UInt8]], privateKey: PrivateKey, summary: CertificateSummary) {
        self.certificates = certificates
        self.privateKey = privateKey
        self.summary = summary
    }
}

extension ClientIdentity: Hashable {
    /// By certificates and key.
    public static func == (one: ClientIdentity, other: ClientIdentity) -> Bool {
        one.certificates == other.certificates && one.privateKey == other.privateKey
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(certificates) }
}

extension ClientIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whose certificate it is.
    public var description: String { "identity \(summary)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["certificate": summary.description]) }
}

extension ClientIdentity.PrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<redacted>`.
    public var description: String { "<redacted>" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(reflecting: description) }
}
