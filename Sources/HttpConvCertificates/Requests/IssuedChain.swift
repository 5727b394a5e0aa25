import Foundation
import HttpConvConcurrency
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// Judges whether an issued certificate leads to one of the application's authorities (RFC 5280 §6).
enum IssuedChain {
    /// More certificates than stand between a device and its authority. The verifier of swift-certificates tries every order
    /// of what it is given, so it is given no more than this.
    private static let maximumIntermediates = 4
    private static let limit = Duration.seconds(5)

    /// - Parameters:
    ///   - chain: the certificate, and those that vouch for it
    ///   - time: when all of them have to be valid
    static func leads(_ chain: [Certificate], to roots: [Certificate], at time: Date) async -> Bool {
        await Blocking.compute {
            guard let leaf = chain.first else { return false }
            var search = ChainSearch(
                to: roots, until: .now + limit, maximumIntermediates: maximumIntermediates)
            guard let path = search.path(from: leaf, among: Array(chain.dropFirst())) else { return false }
            var verifier = Verifier(rootCertificates: CertificateStore(path.suffix(1))) {
                RFC5280Policy(fixedExpiryValidationTime: time)
                KnownExtensions()
            }
            let between = CertificateStore(path.dropFirst().dropLast())
            if case .validCertificate = await verifier.validate(leaf: leaf, intermediates: between) { return true }
            return false
        }
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
