import Foundation
import HttpConversation
import Testing

@testable import HttpConvCertificates

/// The problems of a server's certificate by the codes of Apple's evaluations.
@Suite("Findings of the system about servers", .timeLimit(.minutes(1)))
struct TrustFindingsTests {
    private static let now = Date(timeIntervalSince1970: 1_000_000)
    private static let (name, untrusted, noChain, expired, early) =
        (Int32(-67602), Int32(-67843), Int32(-25318), Int32(-67818), Int32(-67819))

    private func summary(from start: TimeInterval, to end: TimeInterval) -> CertificateSummary {
        CertificateSummary(
            subject: "CN=a", issuer: "CN=a", names: [], notBefore: Self.now + start, notAfter: Self.now + end,
            fingerprint: [1], publicKeyFingerprint: [1])
    }

    private static let all: Set<ServerTrust.Problem> = [.expired, .unknownIssuer, .wrongName]
    private static let ofExpired: [(TrustFindings, Set<ServerTrust.Problem>)] = [
        (TrustFindings(whole: expired, issuer: untrusted, name: name), all),
        (TrustFindings(whole: name, issuer: noChain, name: name), all),
        (TrustFindings(whole: untrusted, issuer: untrusted, name: name), all),
        (TrustFindings(whole: expired), [.expired]),
        // Such as a revoked one.
        (TrustFindings(whole: -67820), [.expired, .invalid]),
        (TrustFindings(whole: expired, issuer: -67609), [.expired, .invalid]),
        // The chain of this evaluation is not the real one.
        (TrustFindings(whole: expired, name: -67609), [.expired]),
    ]

    /// An expired certificate of an unknown issuer, for another name, has all three problems, whichever comes first.
    @Test(arguments: ofExpired)
    func anExpiredCertificateHidesNothing(_ findings: TrustFindings, _ problems: Set<ServerTrust.Problem>) {
        #expect(findings.problems(of: summary(from: -20, to: -10), now: Self.now) == problems)
    }

    @Test func aRefusedCertificateHasAProblem() {
        let valid = summary(from: -10, to: 10)
        #expect(TrustFindings().problems(of: valid, now: Self.now) == [.invalid])
        #expect(TrustFindings(whole: 0).problems(of: nil, now: Self.now) == [.invalid])
        #expect(TrustFindings(whole: Self.name, name: Self.name).problems(of: valid, now: Self.now) == [.wrongName])
        let later = summary(from: 10, to: 20)
        #expect(TrustFindings(whole: Self.early).problems(of: later, now: Self.now) == [.notYetValid])
    }

    /// The other problems are looked for at a moment at which the certificate was, or will be, valid.
    @Test(arguments: [(-20.0, -10.0, -10.0), (-10, 10, 0), (10, 20, 10)])
    func theMomentIsInTheCertificatesTime(_ start: TimeInterval, _ end: TimeInterval, _ moment: TimeInterval) {
        #expect(TrustFindings.moment(of: summary(from: start, to: end), now: Self.now) == Self.now + moment)
        #expect(TrustFindings.moment(of: nil, now: Self.now) == Self.now)
    }
}
