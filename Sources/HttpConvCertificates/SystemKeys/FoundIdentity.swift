import HttpConvPlatform
import HttpConversation

/// An identity among those that a search of the keychain has found, in plain values. A search may find more than was
/// asked for: on macOS it does not compare the labels of identities.
struct FoundIdentity: Hashable, Sendable {
    /// The label of the entry, and the common name of the certificate: what the keychain shows may be either.
    let names: [String]
    /// The certificate, in DER.
    let certificate: [UInt8]
    let key: SystemKey

    /// The identity with a label. It leaves out certificates that are not valid now, such as the one before a
    /// renewal, if there is another.
    ///
    /// - Returns: nil if there is none
    /// - Throws: ``CertificateError/Code/ambiguous`` if unequal certificates have the label
    static func choose(_ label: String, of found: [Self], now: Date) throws(CertificateError) -> Self? {
        let named = found.filter { $0.names.contains(label) }
        let valid = named.filter { ((try? IdentityCheck.valid($0.certificate, at: now)) as CertificateSummary?) != nil }
        let candidates = valid.isEmpty ? named : valid
        let count = Set(candidates.map(\.certificate)).count
        guard count <= 1 else {
            throw CertificateError(
                .ambiguous,
                "The keychain has \(count) different certificates with the label \(label): give the right one a label of its own, or remove the others."
            )
        }
        return candidates.first
    }
}
