import HttpC
import HttpCTerminal

/// The advice about a login that nothing was configured for: what was seen, and the next step.
enum LoginPageAdvice {
    /// - Parameters:
    ///   - profile: the profile in use
    ///   - configuration: the file of `--config`; nil for the usual one
    static func text(_ login: RecognizedLogin, profile: Profile?, in configuration: String?) -> String {
        let seen = login.message + " Nothing was printed or saved."
        if let profile, let saml2 = profile.saml2, login.kind == .saml2 {
            return "\(seen) \(reason(login, profile, saml2))"
        }
        guard let profile else { return "\(seen) \(page) \(next(login, in: configuration))" }
        guard let draft = draft(login, name: profile.name) else { return "\(seen) \(page)" }
        return "\(seen) \(page) To log in there, add to the profile \"\(profile.name)\":\n\(indented(draft.addition))"
    }

    /// One line about a login that is only likely.
    ///
    /// - Parameter hasUser: whether there is a user name and a password for challenges, such as those of -u
    static func line(_ likely: RecognizedLogin, in configuration: String?, hasUser: Bool = false) -> String {
        let seen = "\(likely.message) It is printed as it came."
        if isScriptRedirect(likely) { return "\(seen) \(scriptRedirect)." }
        return "\(seen) \(hasUser ? "The given password fills in no form. " : "")"
            + "If it is one, this logs in: " + ProfileCommand.initialise(url(of: likely), in: configuration)
    }

    /// Whether only a script leads to a login: all others by OpenID Connect are certain.
    static func isScriptRedirect(_ login: RecognizedLogin) -> Bool {
        login.kind == .openIDConnect && login.certainty == .likely && login.configuration == nil
    }

    /// The advice about a login that only a script leads to, which no configuration recognises; without its full stop.
    static let scriptRedirect =
        "No profile recognises the redirect of a script. If the server answers 401 with -H 'X-Requested-With: XMLHttpRequest', as many do, that option logs in with a profile that has web = \"chromium\", and status = \"401\" under web-login: see httpc help profiles"

    /// The URL to log in to: the one that was asked for, because the server's login page may lead elsewhere without it.
    private static func url(of login: RecognizedLogin) -> String {
        ShellWords.url(login.asked.origin == login.target.origin ? login.asked : login.target)
    }

    private static let page = "--accept-login-page prints the page."

    /// The command that writes a profile, and the profile that it would write.
    private static func next(_ login: RecognizedLogin, in configuration: String?) -> String {
        let line = ProfileCommand.initialise(url(of: login), in: configuration)
        let command = "To log in there, run: \(line)"
        guard let draft = draft(login, name: "NAME") else { return command }
        return "\(command)  It asks, and writes a profile like this one:\n\(indented(draft.text))"
    }

    private static func draft(_ login: RecognizedLogin, name: String) -> ProfileDraft? {
        guard login.configuration != nil else { return nil }
        var draft = ProfileDraft(name: name)
        draft.set("match", .texts([login.target.root.absoluteString]))
        if let provider = login.provider { draft.add(answerOrigins: [provider], besides: login.target.origin) }
        draft.add(login)
        return draft
    }

    private static func indented(_ text: String) -> String {
        text.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
    }

    /// The reason why a profile's own settings do not log in there.
    private static func reason(_ login: RecognizedLogin, _ profile: Profile, _ saml2: SAML2Table) -> String {
        let table = "[profiles.\(profile.name).saml2]"
        guard profile.match.contains(where: { $0.matches(login.target) }) else {
            return "\(table) is for the match of the profile \"\(profile.name)\" only, and \(login.target) is outside: "
                + "to log in there, add \"\(login.target.origin)/\" to match."
        }
        let header = ProfileDraft.sapHeader
        if login.product == .sap, let own = saml2.header, own.lowercased() != header {
            return "\(table) has another header: header = \"\(header)\" is the one that the server sends."
        }
        return "\(table) did not recognise it: compare its header and start with what -vv shows."
    }
}
