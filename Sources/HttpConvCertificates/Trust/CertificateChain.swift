package import Foundation
import SwiftASN1
@_spi(FixedExpiryValidationTime) package import X509

/// Looks whether certificates lead to a trusted authority (RFC 5280 §6).
package enum CertificateChain {
    /// - Parameters:
    ///   - chain: what the server sent, the leaf first
    ///   - time: at which all of them have to be valid
    package static func leads(
        _ leaf: Certificate, _ chain: [Certificate], to roots: CertificateStore, at time: Date
    ) async -> Bool {
        var verifier = Verifier(rootCertificates: roots) {
            RFC5280Policy(fixedExpiryValidationTime: time)
            KnownExtensions()
        }
        let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore(chain.dropFirst()))
        if case .validCertificate = result { return true }
        return false
    }
}

/// Extensions that may be critical and that others look at: names and purposes.
private struct KnownExtensions: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [
        .X509ExtensionID.subjectAlternativeName, .X509ExtensionID.extendedKeyUsage, .X509ExtensionID.keyUsage,
    ]

    mutating func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        .meetsPolicy
    }
}
