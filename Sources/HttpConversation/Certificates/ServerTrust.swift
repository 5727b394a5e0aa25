/// A server's certificates, and their problems.
///
/// Filters that handle ``AuthenticationMethod/serverTrust`` get it in ``AuthenticationChallenge/serverTrust``. They are
/// asked about every server, verified ones included, for example to pin its key. The platform's verifier judges first.
/// If it refused the server, ``problems`` has the reasons as far as they can be determined, and is never empty.
public struct ServerTrust: Hashable, Sendable {
    /// A problem of a server's certificate.
    public enum Problem: String, CaseIterable, Hashable, Sendable {
        /// The certificate has expired.
        case expired
        /// The certificate is not valid yet.
        case notYetValid
        /// The certificate is for other names than the URL's.
        case wrongName
        /// The certificate does not lead to a trusted authority.
        case unknownIssuer
        /// The certificate or an issuer's is damaged, not meant for this use, or not valid now.
        case invalid
    }

    /// The certificates in DER, the server's own first. The others are present if the verifier refused the server, and
    /// may be missing for a verified one.
    public let certificates: [[UInt8]]
    /// The summary of the server's own certificate; nil if it cannot be read.
    public let summary: CertificateSummary?
    /// The problems. Empty if it is verified, its key is accepted, or verification is switched off.
    public let problems: Set<Problem>
    /// A trusted certificate that is not a root, and to which the server's certificate leads. The verifier needs the
    /// root.
    package var trustedNonRoot: NonRoot?

    /// A trusted certificate that is not signed by itself.
    package enum NonRoot: Hashable, Sendable {
        /// The server's own certificate.
        case own
        /// The authority with this subject, between the server's certificate and a root.
        case intermediate(String)
    }

    /// Creates a value.
    public init(certificates: [[UInt8]], summary: CertificateSummary?, problems: Set<Problem>) {
        self.certificates = certificates
        self.summary = summary
        self.problems = problems
    }

    /// The same certificates without problems, for a server whose key was accepted.
    package var withoutProblems: ServerTrust {
        ServerTrust(certificates: certificates, summary: summary, problems: [])
    }

    /// The error for a refused connection: `.certificateNotTrusted`, with a ``ServerTrustError``.
    public func failure(at origin: Origin) -> ConversationError {
        let reasons = Problem.allCases.filter(problems.contains).map { words($0, origin) }
        return ConversationError(
            .certificateNotTrusted,
            "The certificate of \(origin) is not trusted: \(reasons.joined(separator: "; ")).",
            underlyingError: ServerTrustError(trust: self, origin: origin))
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
                + (summary.map { " (\(TerminalText.sanitise($0.issuer)))" } ?? "") + nonRootWords
        case .invalid:
            "it, or a certificate that vouches for it, is damaged, has expired, or is not meant for this use (look at key usage, extended key usage, basic constraints, path length and name constraints)"
        }
    }

    private var nonRootWords: String {
        switch trustedNonRoot {
        case .own:
            ": they have the server's own certificate, but not the root of its authority, which is a certificate signed by itself"
        case .intermediate(let subject):
            ": they have an intermediate certificate (\(TerminalText.sanitise(subject))), but not the root above it, which is a certificate signed by itself"
        case nil: ""
        }
    }

    private static func names(_ summary: CertificateSummary) -> String {
        let names = summary.names.prefix(5).map { TerminalText.sanitise($0, limit: 80) }
        return names.isEmpty ? "no name at all" : names.joined(separator: ", ")
    }
}

/// The reason why a server was not trusted: the underlying error of a `.certificateNotTrusted`.
public struct ServerTrustError: Error, Hashable {
    /// The server's certificates, and their problems.
    public let trust: ServerTrust
    /// The server.
    public let origin: Origin

    /// Creates an error.
    public init(trust: ServerTrust, origin: Origin) {
        self.trust = trust
        self.origin = origin
    }
}
