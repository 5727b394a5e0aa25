internal import HttpConvCertificates
public import HttpConvPlatform
public import HttpConversation

/// A device's certificate, with the key that the device made for it.
///
/// Coders write the key in plain text: encode it only into encrypted storage, such as a passcode vault.
public struct EnrolledIdentity: Hashable, Sendable {
    /// The certificate and its key, for providers.
    public let identity: ClientIdentity

    /// An identity that was enrolled.
    public init(_ identity: ClientIdentity) { self.identity = identity }

    /// Whether it should be renewed: the given share of its life is over.
    ///
    /// - Parameters:
    ///   - share: the share of its validity period, from 0 to 1
    ///   - now: the current date
    public func isDue(after share: Double, now: Date) -> Bool {
        now >= dueDate(after: share)
    }

    /// The date when the given share of its life is over.
    func dueDate(after share: Double) -> Date {
        let life = identity.summary.notAfter.timeIntervalSince(identity.summary.notBefore)
        return identity.summary.notBefore.addingTimeInterval(life * share)
    }
}

extension EnrolledIdentity: Codable {
    private struct Record: Codable {
        let certificates: [Data]
        let key: Data
    }

    /// - Throws: `DecodingError`, without the bytes that were read
    public init(from decoder: any Decoder) throws {
        let record = try Record(from: decoder)
        guard let first = record.certificates.first, let summary = try? CertificateSummary(der: Array(first)) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "It holds no certificate."))
        }
        identity = ClientIdentity(
            certificates: record.certificates.map { Array($0) }, privateKey: .der(Array(record.key)), summary: summary)
    }

    /// Writes certificates and key.
    public func encode(to encoder: any Encoder) throws {
        guard case .der(let key) = identity.privateKey.storage else {
            throw EncodingError.invalidValue(
                self, .init(codingPath: encoder.codingPath, debugDescription: "The key cannot be stored."))
        }
        try Record(certificates: identity.certificates.map { Data($0) }, key: Data(key.value)).encode(to: encoder)
    }
}

extension EnrolledIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The certificate's subject, without the key.
    public var description: String { "\(identity)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["certificate": "\(identity.summary)"]) }
}
