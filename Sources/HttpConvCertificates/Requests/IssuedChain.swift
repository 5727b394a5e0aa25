import HttpConvConcurrency
import HttpConvPlatform
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// Checks whether an issued certificate leads to one of the application's authorities (RFC 5280 §6).
enum IssuedChain {
    /// More certificates than there are between a device and its authority. The verifier of swift-certificates tries
    /// every order of its input, so it gets at most this many.
    private static let maximumIntermediates = 4
    private static let limit = Duration.seconds(5)

    /// - Parameters:
    ///   - chain: the certificate, and those that lead to its authority
    ///   - time: the time at which all of them have to be valid
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

/// Critical extensions that are checked elsewhere: names and purposes.
private struct KnownExtensions: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [
        .X509ExtensionID.subjectAlternativeName, .X509ExtensionID.extendedKeyUsage, .X509ExtensionID.keyUsage,
    ]

    mutating func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        .meetsPolicy
    }
}
