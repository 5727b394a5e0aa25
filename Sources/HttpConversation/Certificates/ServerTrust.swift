/// A server's certificates, and what is wrong with them.
///
/// ``AuthenticationChallenge/serverTrust`` has it for filters that handle ``AuthenticationMethod/serverTrust``. They are
/// asked about every server, also about a verified one: to pin its key, say. The platform's verifier judges. Where it refused,
/// ``problems`` explains its judgement, as far as that can be found out, and is never empty.
public struct ServerTrust: Hashable, Sendable {
    /// What is wrong with a server's certificate.
    public enum Problem: String, CaseIterable, Hashable, Sendable {
        /// It was valid until a moment that is over.
        case expired
        /// It will be valid, but is not yet.
        case notYetValid
        /// It is for other names than that of the URL.
        case wrongName
        /// It does not lead to a trusted authority.
        case unknownIssuer
        /// It, or a certificate that vouches for it, is damaged, not meant for this use, or not valid now.
        case invalid
    }

    /// The certificates in DER, the server's own first. The others are there where the verifier refused the server; of a
    /// verified one they may be missing.
    public let certificates: [[UInt8]]
    /// What the server's own certificate says; nil where it cannot be read.
    public let summary: CertificateSummary?
    /// What is wrong with it. Nothing: it is verified, its key is accepted, or verification is switched off.
    public let problems: Set<Problem>

    /// Says what was found.
    public init(certificates: [[UInt8]], summary: CertificateSummary?, problems: Set<Problem>) {
        self.certificates = certificates
        self.summary = summary
        self.problems = problems
    }

    /// The error of a connection that is not made because of it: `.certificateNotTrusted`, with a
    /// ``ServerTrustFailure``.
    public func failure(at origin: Origin) -> ConversationError {
        let reasons = Problem.allCases.filter(problems.contains).map { words($0, origin) }
        return ConversationError(
            .certificateNotTrusted,
            "The certificate of \(origin) is not trusted: \(reasons.joined(separator: "; ")).",
            underlyingError: ServerTrustFailure(trust: self, origin: origin))
    }

    private func words(_ problem: Problem, _ origin: Origin) -> String {
        switch problem {
        case .expired:
            "it has expired" + (summary.map { " (on \($0.notAfter.formatted(.iso8601)))" } ?? "")
                + ", have the server's renewed"
        case .notYetValid:
            "it is not valid yet" + (summary.map { " (not before \($0.notBefore.formatted(.iso8601)))" } ?? "")
                + ", look at the clocks"
        case .wrongName:
            "it is not for \"\(origin.host)\"" + (summary.map { ", but for \(Self.names($0))" } ?? "")
        case .unknownIssuer:
            "it comes from an issuer that is not among the trusted roots"
                + (summary.map { " (\(TerminalText.sanitise($0.issuer)))" } ?? "")
        case .invalid:
            "it, or a certificate that vouches for it, is damaged, has expired, or is not meant for this use (look at key usage, extended key usage, basic constraints, path length and name constraints)"
        }
    }

    private static func names(_ summary: CertificateSummary) -> String {
        let names = summary.names.prefix(5).map { TerminalText.sanitise($0, limit: 80) }
        return names.isEmpty ? "no name at all" : names.joined(separator: ", ")
    }
}

/// Why a server was not trusted: the underlying error of a `.certificateNotTrusted`.
public struct ServerTrustFailure: Error, Hashable {
    /// Its certificates, and what is wrong with them.
    public let trust: ServerTrust
    /// The server.
    public let origin: Origin

    /// The failure of a server.
    public init(trust: ServerTrust, origin: Origin) {
        self.trust = trust
        self.origin = origin
    }
}
