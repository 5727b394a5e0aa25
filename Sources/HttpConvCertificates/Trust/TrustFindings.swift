import HttpConvPlatform
import HttpConversation

/// The error codes of Apple's evaluations of one chain, in plain Swift. An evaluation names one problem only, so a chain
/// that is refused is evaluated once more for each kind of problem: a person is not to accept an expired certificate
/// without hearing that nobody known has issued it.
struct TrustFindings {
    /// The code of the evaluation that decides; nil if there is none.
    var whole: Int32?
    /// The code of the chain without a server's name; nil: it leads to a trusted authority.
    var issuer: Int32?
    /// The code of the chain as if its last certificate were trusted; nil: it is for this server.
    var name: Int32?

    private static let problems: [Int32: ServerTrust.Problem] = [
        // errSecHostNameMismatch, errSecNotTrusted, errSecCreateChainFailed
        -67602: .wrongName, -67843: .unknownIssuer, -25318: .unknownIssuer,
        // errSecCertificateExpired, errSecCertificateNotValidYet
        -67818: .expired, -67819: .notYetValid,
    ]

    /// The problems, which are never none. The dates are compared as well.
    func problems(of summary: CertificateSummary?, now: Date) -> Set<ServerTrust.Problem> {
        var found = Set([whole, issuer].compactMap { $0 }.map { Self.problems[$0] ?? .invalid })
        if let summary, summary.notAfter < now { found.insert(.expired) }
        if let summary, now < summary.notBefore { found.insert(.notYetValid) }
        // The other codes of this evaluation are about a chain that is not the real one.
        if let name, Self.problems[name] == .wrongName { found.insert(.wrongName) }
        return found.isEmpty ? [.invalid] : found
    }

    /// The moment nearest to now at which a certificate is valid.
    static func moment(of summary: CertificateSummary?, now: Date) -> Date {
        summary.map { min(max(now, $0.notBefore), $0.notAfter) } ?? now
    }
}
