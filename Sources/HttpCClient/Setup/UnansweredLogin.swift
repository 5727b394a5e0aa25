package import HttpC
import HttpCTerminal

/// Explains a 401 that is the final answer, in one line.
enum UnansweredLogin {
    private static let digestAlgorithms: Set<String> = [
        "MD5", "MD5-SESS", "SHA-256", "SHA-256-SESS", "SHA-512-256", "SHA-512-256-SESS",
    ]

    /// - Parameters:
    ///   - profile: the profile in use
    ///   - hasUser: whether there is a login of a user, which was not sent ahead
    ///   - configuration: the file of `--config`; nil for the usual one
    static func explain(
        _ head: HTTPResponse, from target: TargetURL, hasCredentials: Bool, profile: Profile? = nil,
        oauth2: ProfileOAuth2? = nil, outcomes: ChallengeOutcomes, in configuration: String? = nil,
        hasUser: Bool = false
    ) -> String {
        let text = text(
            head, from: target, hasCredentials: hasCredentials, profile: profile, oauth2: oauth2, outcomes: outcomes,
            in: configuration, hasUser: hasUser)
        // A redirect may have put what was sent into the name of this server.
        let origin = "\(target.origin)"
        return outcomes.hidingCredentials(in: origin) == origin ? text : outcomes.hidingCredentials(in: text)
    }

    private static func text(
        _ head: HTTPResponse, from target: TargetURL, hasCredentials: Bool, profile: Profile?,
        oauth2: ProfileOAuth2?, outcomes: ChallengeOutcomes, in configuration: String?, hasUser: Bool
    ) -> String {
        let ahead = hasUser ? FailureAdvice.basicAhead(at: target.origin) : ""
        let offered = OfferedChallenge.offered(by: head)
        let origin = target.origin
        let initialise = ProfileCommand.initialise(ShellWords.url(target), in: configuration)
        if offered.isEmpty {
            let refusal =
                head.headerFields.contains(.wwwAuthenticate)
                ? "\(origin) wants a login, but how cannot be read from its answer."
                : "\(origin) wants a login (401), but does not say how: it sent no challenge."
            return refusal + ahead + logInAgain(target, oauth2) + pages(target, profile)
        }
        if let answered = outcomes.answered, answered.origin == origin,
            offered.contains(where: { $0.method == answered.method && ($0.realm ?? "") == answered.realm })
        {
            if answered.method == .negotiate {
                let why = outcomes.lastRefusal.map { ": \($0)." } ?? "."
                return "The server did not accept the Kerberos ticket for \(origin)\(why)"
            }
            let source = outcomes.source.map { " \($0)" } ?? ""
            return
                "The server did not accept user name and password\(source) for \(origin)\(realm(answered.realm, outcomes))."
        }
        let speakable = offered.filter { $0.method == .basic || $0.method == .digest }
        guard let first = speakable.first else {
            if offered.contains(where: { $0.method == .bearer }) { return bearer(target, oauth2, initialise) }
            if offered.contains(where: { $0.method == .negotiate }) { return negotiate(origin, outcomes) }
            let schemes = offered.map { TerminalText.sanitise(outcomes.hidingCredentials(in: $0.scheme), limit: 30) }
                .joined(separator: ", ")
            return "\(origin) wants a login by \(schemes), which this client does not speak."
                + ahead + logInAgain(target, oauth2)
        }
        if let unknown = unknownAlgorithm(speakable).map(outcomes.hidingCredentials) {
            return "\(origin) offers Digest with an algorithm this client does not know (\(unknown))."
        }
        if speakable.allSatisfy({ $0.method == .digest && $0.realm?.contains("\u{FFFD}") == true }) {
            return "\(origin) offers Digest with a realm that is not UTF-8, which this client cannot answer."
        }
        if let refusal = outcomes.lastRefusal { return "The login at \(origin) was not answered: \(refusal)." }
        if !hasCredentials {
            let again = logInAgain(target, oauth2)
            guard again.isEmpty else {
                let realm = realm(first.realm ?? "", outcomes)
                return "\(origin) wants a login\(realm), and there are no credentials for it." + again
            }
            return
                "\(origin) wants a login\(realm(first.realm ?? "", outcomes)), and there are no credentials: use -u or a profile, or run: \(initialise)"
        }
        return "The login at \(origin)\(realm(first.realm ?? "", outcomes)) could not be answered."
    }

    /// The reason why no Kerberos ticket was sent.
    private static func negotiate(_ origin: Origin, _ outcomes: ChallengeOutcomes) -> String {
        if let refusal = outcomes.lastRefusal {
            return "The login at \(origin) by Negotiate was not answered: \(refusal)."
        }
        if origin.scheme == .http, !origin.isLoopback {
            return "\(origin) wants a login by Negotiate: tickets go over https only, unless a profile has plain-http."
        }
        return
            "\(origin) wants a login by Negotiate, and no ticket is for it: use --negotiate, or a profile with kerberos."
    }

    /// The advice if the tokens of the profile were refused without a word about them, and could not be renewed. It
    /// begins with a space, or is empty if the server gets no tokens.
    private static func logInAgain(_ target: TargetURL, _ oauth2: ProfileOAuth2?) -> String {
        guard let oauth2, oauth2.support.givesTokens(to: target), target.origin.isSecure else { return "" }
        return " If the tokens of the profile \"\(oauth2.profile.name)\" have ended, run: "
            + oauth2.profile.commandLine("login")
    }

    /// The advice about a profile whose login on web pages does not take a 401 for its demand. It begins with a space,
    /// or is empty if there is no such profile.
    private static func pages(_ target: TargetURL, _ profile: Profile?) -> String {
        guard let profile, profile.hasWebLogin, profile.match.contains(where: { $0.matches(target) }),
            profile.webLogin?.statuses.contains(401) != true
        else { return "" }
        // The first URL is what this command asks for, too.
        let again =
            target == profile.firstURL ? nil : "if its session has ended, run: \(profile.commandLine("login"))"
        // A profile without signs of a challenge has the usual ones, until it names one.
        let hasSign = profile.webLogin.map {
            !$0.redirects.isEmpty || !$0.statuses.isEmpty || $0.header != nil || $0.hasPasswordForm
        }
        let table = "[profiles.\(profile.name).web-login]"
        let change =
            hasSign == true ? "add status = \"401\" and start, the path of its login page, to \(table)." : nil
        let advice = [again, change].compactMap { $0 }.joined(separator: " – or ")
        return " The web login of the profile \"\(profile.name)\" does not begin at such an answer"
            + (advice.isEmpty ? "." : ": \(advice)")
    }

    /// The reason why no access token was sent.
    ///
    /// - Parameter initialise: the command line that writes a profile for the URL
    private static func bearer(_ target: TargetURL, _ oauth2: ProfileOAuth2?, _ initialise: String) -> String {
        let origin = target.origin
        guard let oauth2 else {
            return "\(origin) wants an access token (Bearer): use a profile with OAuth2, or -H, or run: "
                + initialise
        }
        let name = oauth2.profile.name
        if !oauth2.support.givesTokens(to: target) {
            return "An access token was asked for outside the match and token-origins of the profile \"\(name)\", "
                + "at \(origin)."
        }
        guard origin.isSecure else {
            return "A profile's tokens go over https only, and \(origin) is not."
        }
        return "The tokens of the profile \"\(name)\" could not be used for \(origin)."
    }

    /// The algorithms of the Digest challenges, if none of them is supported.
    private static func unknownAlgorithm(_ offered: [OfferedChallenge]) -> String? {
        let algorithms = offered.filter { $0.method == .digest }.map { $0.parameter("algorithm") ?? "MD5" }
        guard !algorithms.isEmpty, !algorithms.contains(where: { digestAlgorithms.contains($0.uppercased()) }) else {
            return nil
        }
        return algorithms.map { TerminalText.sanitise($0, limit: 30) }.joined(separator: ", ")
    }

    /// The realm, which may repeat what was sent.
    private static func realm(_ text: String, _ outcomes: ChallengeOutcomes) -> String {
        let shown = TerminalText.sanitise(outcomes.hidingCredentials(in: text), limit: 60)
        return shown.isEmpty ? "" : " (realm \"\(shown)\")"
    }
}

extension RequestSetup {
    /// Explains a 401 that is the final answer, in one line.
    package func explain(_ head: HTTPResponse, from target: TargetURL) -> String {
        UnansweredLogin.explain(
            head, from: target, hasCredentials: hasCredentials, profile: given.profile, oauth2: oauth2,
            outcomes: outcomes, in: configuration, hasUser: given.hasUser)
    }
}
