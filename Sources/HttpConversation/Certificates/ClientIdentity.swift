/// A certificate with its private key, for servers that ask for one in the TLS handshake.
///
/// `HttpConvCertificates` reads one from a PKCS#12 or PEM file, or finds one on a PKCS#11 token. The key is never
/// printed.
public struct ClientIdentity: Sendable {
    /// The certificates in DER, the client's own first, then its issuers in order.
    public let certificates: [[UInt8]]
    /// The key of the first certificate.
    public let privateKey: PrivateKey
    /// The summary of the first certificate.
    public let summary: CertificateSummary

    /// A private key. Its representation may change; a transport should ask only for the form that it needs.
    public struct PrivateKey: Hashable, Sendable {
        package enum Storage: Hashable, Sendable {
            case der(Redacted<[UInt8]>)
            case signer(KeySigner)
        }

        package let storage: Storage

        /// A key in DER: PKCS#8, or the traditional form of RSA and EC keys.
        public static func der(_ bytes: [UInt8]) -> PrivateKey { PrivateKey(storage: .der(Redacted(bytes))) }
        /// A key that signs and cannot be read, such as one on a smart card.
        public static func signer(_ signer: KeySigner) -> PrivateKey { PrivateKey(storage: .signer(signer)) }
    }

    /// Creates an identity; does not check that key and certificates match.
    public init(certificates: [[UInt8]], privateKey: PrivateKey, summary: CertificateSummary) {
        self.certificates = certificates
        self.privateKey = privateKey
        self.summary = summary
    }
}

extension ClientIdentity: Hashable {
    /// Compares certificates and key.
    public static func == (one: ClientIdentity, other: ClientIdentity) -> Bool {
        one.certificates == other.certificates && one.privateKey == other.privateKey
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(certificates) }
}

extension ClientIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The certificate's subject and issuer.
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
