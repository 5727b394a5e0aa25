import HttpC
import HttpCTerminal

/// The option or key that helps, for the end of an error's message. It begins with a space, or is empty if there is
/// none.
enum FailureAdvice {
    static func text(_ error: ConversationError, given: GivenSettings) -> String {
        switch error.code {
        case .certificateNotTrusted: authority(error, given)
        case .trustRootsUnusable:
            given.authorities == nil ? " --cacert FILE, or cacert\(place(given)), names one." : ""
        case .clientCertificateRequired: certificate(given)
        case .tooManyRedirects: " --max-redirs allows more."
        // The proxy has asked for no login.
        case .proxyRefused where error.message.contains("made no tunnel"): " \(proxy)"
        case .proxyRefused: " Give its login with --proxy-user. \(proxy)"
        case .timedOut where given.canWaitLonger && error.message.contains("(idle timeout)"):
            " A larger -m allows a longer silence."
        case .proxyNotResolved, .proxyHandshakeFailed: " \(proxy)"
        default: ""
        }
    }

    /// The advice for a login on web pages.
    static func text(_ error: WebLoginError, given: GivenSettings) -> String {
        if let page = error.underlyingError as? ConversationError { return text(page, given: given) }
        return switch error.code {
        case .answersNotAllowed:
            " Origins are added with --answer-origin, or in answer-origins\(place(given)); https is wanted there."
        case .challengedAgain where given.profile != nil:
            " If the login was somebody else's, \(given.profile?.commandLine("logout") ?? "httpc logout") forgets it, "
                + "with the session at the identity provider."
        case .noWindow, .browserFailed:
            " --web terminal asks in the terminal, and --headless takes prepared answers without a window. "
                + "web = [\"chromium\", \"terminal\"]\(place(given)) takes the terminal where there is no window."
        case .missingAnswer: missing(error.missingFields, given)
        default: ""
        }
    }

    /// The option for each field without an answer.
    private static func missing(_ fields: [WebLoginError.MissingField], _ given: GivenSettings) -> String {
        guard !fields.isEmpty else { return " A person can answer it: --web terminal, or --web chromium." }
        if wantsNewPassword(fields) { return " \(newPassword)" }
        let shown = fields.filter { !$0.isFilledIn }.prefix(10)
        let texts = shown.filter { $0.purpose != .button }.map { option(for: $0) }
        let buttons = shown.filter { $0.purpose == .button }.map { option(for: $0) }
        let options = [texts.joined(separator: " "), buttons.joined(separator: ", or ")].filter { !$0.isEmpty }
        var text = " Give \(options.joined(separator: " ")), or put it into [\(given.table).answers]."
        for field in fields.prefix(10) where field.kind == .choice && field.choices.count > 1 {
            let choices = field.choices.prefix(20).map { TerminalText.sanitise($0, limit: 40) }
            text += " Values of \(TerminalText.sanitise(field.name, limit: 60)): \(choices.joined(separator: ", "))."
        }
        return text
    }

    /// The option that answers a field.
    static func option(for field: WebLoginError.MissingField) -> String {
        let name = ShellWords.word(field.name)
        return switch field.kind {
        case .text: "--answer \(name)=TEXT"
        case .secret: "--answer-env \(name)=VAR"
        case .code: "--answer-totp \(name)=VAR"
        case .choice where field.choices.count == 1: "--answer \(name)=\(ShellWords.word(field.choices[0]))"
        case .choice: "--answer \(name)=VALUE"
        }
    }

    /// Whether all secrets that a page wants are passwords that are being chosen.
    static func wantsNewPassword(_ fields: [WebLoginError.MissingField]) -> Bool {
        let secrets = fields.filter { $0.kind == .secret }
        return !secrets.isEmpty && secrets.allSatisfy { $0.purpose == .newPassword }
    }

    static let newPassword = "The server wants a new password: set it in a browser, then run this again."

    /// The advice about a server that does not say how to log in. It begins with a space, or is empty where the
    /// password must not be sent.
    static func basicAhead(at origin: Origin) -> String {
        origin.isSecure ? " Some APIs take a password without asking: --basic -u USER sends it ahead." : ""
    }

    /// The message about a body that can be read once only, such as that of `-T -`.
    static func bodyIsGone(_ error: ConversationError, given: GivenSettings) -> String {
        let asker = error.challenge.map { $0.proxy.map { "The proxy \($0)" } ?? "\($0.space.origin)" }
        let text =
            (asker.map { "\($0) wants a login" } ?? "The request has to be sent again")
            + ", but the body can be read once only, and was read: a file (-T FILE) can be sent again."
        guard let challenge = error.challenge, challenge.proxy == nil, challenge.method == .basic, given.hasUser,
            challenge.space.origin.isSecure
        else { return text }
        return text + " --basic sends the password before the server asks."
    }

    private static func authority(_ error: ConversationError, _ given: GivenSettings) -> String {
        guard (error.underlyingError as? ServerTrustError)?.trust.problems.contains(.unknownIssuer) != false else {
            return ""
        }
        return given.authorities.map { " It was looked for among the authorities of \($0) only." }
            ?? " A private authority is trusted by --cacert FILE, or by cacert\(place(given))."
    }

    private static func certificate(_ given: GivenSettings) -> String {
        if let certificate = given.certificate {
            return
                " The certificate of \(certificate) goes only to servers that are named for it: name this server with "
                + "--cert-origin, or in origins in [\(given.table).cert]."
        }
        return
            " Give a certificate with --cert FILE or in [\(given.table).cert]. It goes only to servers that are named "
            + "for it: name another server with --cert-origin, or in origins there."
    }

    private static let proxy =
        "The proxy comes from --proxy, the profile or the environment. --noproxy bypasses it."

    private static func place(_ given: GivenSettings) -> String {
        " in " + (given.profile == nil ? "a profile" : "[\(given.table)]")
    }
}
