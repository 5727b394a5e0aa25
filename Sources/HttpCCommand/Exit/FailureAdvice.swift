import HttpC

/// The option or key that helps, said at the end of an error's message: begins with a space, empty where there is none.
enum FailureAdvice {
    /// - Parameter profile: the name of the one that applies
    static func text(_ error: ConversationError, profile: String? = nil) -> String {
        switch error.code {
        case .certificateNotTrusted:
            (error.underlyingError as? ServerTrustFailure)?.trust.problems.contains(.unknownIssuer) == false
                ? "" : " A private authority is trusted by --cacert FILE, or by cacert\(place(profile))."
        case .trustRootsUnusable: " --cacert FILE, or cacert\(place(profile)), names one."
        case .clientCertificateRequired:
            " That is --cert FILE, or [profiles.\(profile ?? "NAME").cert]. It goes to servers that are named for it only: "
                + "name another one with --cert-origin, or in origins there."
        case .tooManyRedirects: " --max-redirs allows more."
        case .proxyRefused: " A login for it is that of --proxy-user. \(proxy)"
        case .proxyNotResolved, .proxyHandshakeFailed: " \(proxy)"
        default: ""
        }
    }

    /// About a login on pages.
    static func text(_ error: WebLoginError, profile: String?) -> String {
        if let page = error.underlyingError as? ConversationError { return text(page, profile: profile) }
        return switch error.code {
        case .answersNotAllowed:
            " Origins are added with --answer-origin, or in answer-origins\(place(profile)); https is wanted there."
        case .missingAnswer: " One is given with --answer-env NAME=VAR, or in [profiles.\(profile ?? "NAME").answers]."
        default: ""
        }
    }

    private static let proxy =
        "The proxy is that of --proxy, else of the profile, else of the environment; --noproxy goes without."

    private static func place(_ profile: String?) -> String {
        " in " + (profile.map { "[profiles.\($0)]" } ?? "a profile")
    }
}
