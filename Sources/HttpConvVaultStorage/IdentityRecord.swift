internal import HttpConvPlatform
internal import HttpConvVault
internal import HttpConversation

/// The JSON form of a certificate with its key, as the value of a record. The coders' own errors are left out: they may
/// quote the record.
struct IdentityRecord: Codable {
    private let certificates: [Data]
    private let key: Data
    private let subject: String
    private let issuer: String
    private let names: [String]
    private let notBefore: Date
    private let notAfter: Date
    private let fingerprint: Data
    private let publicKeyFingerprint: Data

    static func encode(_ identity: ClientIdentity) throws(DataVaultError) -> [UInt8] {
        guard case .der(let key) = identity.privateKey.storage else {
            throw DataVaultError(.invalidArgument, "The private key of the certificate cannot be stored.")
        }
        let summary = identity.summary
        let record = IdentityRecord(
            certificates: identity.certificates.map { Data($0) }, key: Data(key.value), subject: summary.subject,
            issuer: summary.issuer, names: summary.names, notBefore: summary.notBefore, notAfter: summary.notAfter,
            fingerprint: Data(summary.fingerprint), publicKeyFingerprint: Data(summary.publicKeyFingerprint))
        do { return Array(try JSONEncoder().encode(record)) } catch {
            throw DataVaultError(.invalidArgument, "The certificate cannot be written as JSON: is a date not finite?")
        }
    }

    static func decode(_ value: [UInt8]) throws(DataVaultError) -> ClientIdentity {
        let record: IdentityRecord
        do { record = try JSONDecoder().decode(IdentityRecord.self, from: Data(value)) } catch {
            throw DataVaultError(
                .damaged,
                "The record holds no certificate that this version can read. It can be overwritten or deleted.")
        }
        return ClientIdentity(
            certificates: record.certificates.map { Array($0) }, privateKey: .der(Array(record.key)),
            summary: CertificateSummary(
                subject: record.subject, issuer: record.issuer, names: record.names, notBefore: record.notBefore,
                notAfter: record.notAfter, fingerprint: Array(record.fingerprint),
                publicKeyFingerprint: Array(record.publicKeyFingerprint)))
    }
}
