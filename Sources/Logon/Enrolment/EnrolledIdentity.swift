public import Foundation
internal import HttpConvCertificates
public import HttpConversation

/// A certificate that a device has got, with the key that it made for it.
///
/// Written with its key by any coder: only where that is encrypted, such as in a passcode vault.
public struct EnrolledIdentity: Hashable, Sendable {
    /// The certificate and its key, for providers.
    public let identity: ClientIdentity

    /// An identity that was enrolled.
    public init(_ identity: ClientIdentity) { self.identity = identity }

    /// Whether so much of its life is over that it should be renewed.
    ///
    /// - Parameters:
    ///   - share: of the time between its first and its last moment, from 0 to 1
    ///   - now: the time
    public func isDue(after share: Double, now: Date) -> Bool {
        now >= dueDate(after: share)
    }

    /// From when on so much of its life is over.
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

    /// - Throws: `DecodingError`, without what was read
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
    /// Whose certificate it is; nothing of the key.
    public var description: String { "\(identity)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["certificate": "\(identity.summary)"]) }
}
