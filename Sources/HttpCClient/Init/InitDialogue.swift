import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform

/// Makes a profile out of what was found, the options, and the person's answers.
struct InitDialogue: Sendable {
    let plan: ClientPlan
    let settings: InitSettings
    let questions: InitQuestions
    let probe: ServerProbe
    /// The profiles that there are.
    let known: [Profile]
    /// The names of profiles that are not in the file, but have a session.
    let left: Set<String>
    let diagnostics: Diagnostics

    var target: TargetURL { probe.target }

    /// Whether the options have answers for a login page.
    var hasAnswers: Bool { !plan.web.answers.isEmpty || settings.login != nil }

    /// - Returns: nil if there is nothing to write
    func draft(_ found: ServerProbe.Finding) async throws(CommandFailure) -> ProfileDraft? {
        var demand = found.demand
        if case .unknown? = demand { demand = nil }
        let isGiven =
            plan.connection.certificate != nil || settings.user != nil || settings.issuer != nil
            || !plan.web.answers.isEmpty
        guard demand != nil || isGiven else {
            let advice =
                found.isMadeByScripts
                ? "The page is made by scripts, so its login cannot be seen: name a URL that redirects to a login page, or one of its API.\(FailureAdvice.basicAhead(at: target.origin))"
                : "If only a part of the site wants a login, name the URL of that part."
            diagnostics.message("nothing was written: there is no login to configure. \(advice)")
            return nil
        }
        var draft = ProfileDraft(name: try await name())
        draft.set("match", .texts([try await match()]))
        try addConnection(to: &draft)
        if let demand {
            try await add(demand, to: &draft)
        } else if settings.issuer != nil {
            try await addTokens(to: &draft, nil, nil)
        } else if let code = found.refusal(by: target.origin), hasAnswers {
            try await addPages(to: &draft, refusedWith: code, found.loginLink)
        } else if settings.user != nil {
            try await addPassword(to: &draft)
        } else if !plan.web.answers.isEmpty {
            try await addPages(to: &draft)
        }
        return draft
    }

    /// Adds the login that a server demands.
    func add(_ demand: LoginDemand, to draft: inout ProfileDraft) async throws(CommandFailure) {
        switch demand {
        case .password: try await addPassword(to: &draft)
        case .ticket(let password): try await addTicket(to: &draft, orPassword: password != nil)
        case .token(let scope, let metadata, let password):
            guard password != nil, try await prefersPassword() else {
                return try await addTokens(to: &draft, scope, metadata)
            }
            try await addPassword(to: &draft)
        case .page(let login): try await addPages(to: &draft, login)
        case .certificate: try await addCertificate(to: &draft)
        case .answers(let fields): try await addAnswers(to: &draft, fields)
        case .unknown: break
        }
    }

    // MARK: Name, URLs, connection

    private func name() async throws(CommandFailure) -> String {
        let taken = Set(known.map(\.name))
        let problem = { [left] (name: String) -> String? in
            guard ProfileName.isValid(name) else { return "A name may have letters, digits, - _ . only." }
            if taken.contains(name) { return "There is a profile of that name." }
            guard left.contains(name) else { return nil }
            return "There is a session under that name\(Self.place(name)), of a profile that is not in this file."
        }
        if let name = settings.name {
            if let problem = problem(name) {
                throw CommandFailure(.usage, problem + " Choose another one with --profile.")
            }
            return name
        }
        let usual = Self.freeName(Self.name(of: target.origin), taken.union(left))
        return try await questions.text("Name of the profile", default: usual, problem) ?? usual
    }

    /// A name made of a host's first label that says something.
    static func name(of origin: Origin) -> String {
        let labels = origin.host.split(ascii: ".").filter { $0 != "www" }
        let isAddress = origin.host.utf8.allSatisfy { $0.isASCIIDigit || ".:[]".utf8.contains($0) }
        let name = isAddress ? "local" : labels.first.map { String($0) } ?? ""
        return ProfileName.isValid(name) ? name : "site"
    }

    /// The place of a profile's state, for messages.
    private static func place(_ name: String) -> String {
        let state = Directories(ProcessInfo.processInfo.environment).state
        return state.map { " in \(TerminalText.sanitise("\($0)/\(name)"))" } ?? ""
    }

    static func freeName(_ name: String, _ taken: Set<String>) -> String {
        if !taken.contains(name) { return name }
        return (2...).lazy.map { "\(name)-\($0)" }.first { !taken.contains($0) } ?? name
    }

    private func match() async throws(CommandFailure) -> String {
        let problem = { [known, target] (text: String) -> String? in
            guard let match = try? ProfileMatch(text), let url = match.url else {
                return "A match is a URL with scheme, host, port and path only."
            }
            guard match.matches(target) else { return "\(url) does not cover \(target)." }
            guard let other = known.first(where: { $0.match.contains(match) }) else { return nil }
            return "The profile \"\(other.name)\" has that match already."
        }
        if let match = settings.match {
            if let problem = problem(match) { throw CommandFailure(.usage, "--match: \(problem)") }
            return match
        }
        let usual = [target.root, directory, withoutQuery].map(\.absoluteString).first { problem($0) == nil }
        guard let usual else {
            throw CommandFailure(
                .usage, problem(withoutQuery.absoluteString) ?? "There is a profile for \(target) already.")
        }
        return try await questions.text("For all URLs below", default: usual, problem) ?? usual
    }

    private var withoutQuery: TargetURL { (try? target.origin.url(requestTarget: String(target.path))) ?? target.root }

    /// The directory of the path.
    private var directory: TargetURL {
        PathSpace.directory(of: target).flatMap { try? target.origin.url(requestTarget: $0) } ?? target.root
    }

    /// The options about the connection that a profile can keep. Secrets and -k are not among them.
    private func addConnection(to draft: inout ProfileDraft) throws(CommandFailure) {
        let connection = plan.connection
        draft.set("cacert", connection.caCertificate.map { Self.exact($0) })
        draft.set("proxy-cacert", connection.proxyCACertificate.map { Self.exact($0) })
        if let proxy = connection.proxy {
            if proxy.contains(ascii: "@") || connection.proxyUser != nil {
                diagnostics.message("the proxy is not in the profile, because it has a login: see httpc help profiles.")
            } else {
                draft.set("proxy", proxy)
            }
        }
        guard let certificate = connection.certificate else { return }
        guard certificate.token == nil else {
            // The certificate's name may contain a PIN, so it is not written.
            return diagnostics.message(
                "the certificate on a token is not in the profile: see httpc help profiles for its key.")
        }
        draft.add(table: "cert")
        draft.set("file", Self.exact(certificate.path), in: "cert")
        draft.set("key", certificate.key.map { Self.exact($0) }, in: "cert")
        draft.set("type", certificate.kind?.rawValue, in: "cert")
        if certificate.passphrase != nil {
            diagnostics.message(
                "the passphrase of the certificate is not in the profile. Without passphrase-env, or another place for it, in [profiles.\(draft.name).cert] it is asked for."
            )
        }
    }

    /// The absolute form of a path that a person typed at a question. No shell has expanded its `~/`.
    static func absolute(_ path: String) -> String {
        if path.hasPrefix("~/"), let home = ProcessInfo.processInfo.environment["HOME"] {
            return home + path.dropFirst()
        }
        return exact(path)
    }

    /// The absolute path of an option's file.
    private static func exact(_ path: String) -> String { URL(exactPath: path).path(percentEncoded: false) }

    // MARK: Passwords and certificates

    /// Whether the person logs in with a password where the server takes an access token, too.
    private func prefersPassword() async throws(CommandFailure) -> Bool {
        guard settings.issuer == nil, settings.clientID == nil, settings.grant == nil else { return false }
        if settings.user != nil { return true }
        let ways = ["with an access token (OAuth2)", "with a user name and a password"]
        return try await questions.choose("How do you log in there?", ways) == 1
    }

    /// The tickets of kinit; other sources are written by hand.
    private func addTicket(
        to draft: inout ProfileDraft, orPassword: Bool
    ) async throws(CommandFailure) {
        if orPassword {
            if settings.user != nil { return try await addPassword(to: &draft) }
            let choice = try await questions.choose(
                "How do you log in there?", ["with a Kerberos ticket (kinit)", "with a user name and a password"])
            if choice == 1 { return try await addPassword(to: &draft) }
        }
        try requireSecure("ticket goes")
        draft.add(table: "kerberos")
    }

    private func requireSecure(_ what: String) throws(CommandFailure) {
        guard target.origin.isSecure else {
            throw CommandFailure(
                .usage,
                "A profile's \(what) over https only, and \(target.origin) is not. Is there https://\(target.origin.host)/?"
            )
        }
    }

    private func addPassword(to draft: inout ProfileDraft) async throws(CommandFailure) {
        try requireSecure("password goes")
        let asked = try await settings.user.or { () async throws(CommandFailure) in
            try await questions.text("User name at \(target.origin)")
        }
        guard let user = asked, !user.isEmpty else {
            throw CommandFailure(.usage, "The user name is missing: give it with --user.")
        }
        draft.set("username", user, in: "basic")
        try await addSecret("password", settings.password, to: &draft, in: "basic", canBeTyped: true)
    }

    /// Adds the place of a secret. The secret itself is never asked for, nor written.
    ///
    /// - Parameter canBeTyped: whether a question is asked at each login if the key is left out
    func addSecret(
        _ key: String, _ given: SecretSource?, to draft: inout ProfileDraft, in table: String,
        canBeTyped: Bool = false
    ) async throws(CommandFailure) {
        var place = given
        if place == nil {
            let words = "the \(key.replacing("-", with: " "))"
            place = try await secretPlace(of: words, draft.name, key, canBeTyped: canBeTyped)
        }
        guard let (end, value) = place.flatMap(Self.setting) else { return }
        draft.set("\(key)-\(end)", value, in: table)
    }

    private func addCertificate(to draft: inout ProfileDraft) async throws(CommandFailure) {
        guard plan.connection.certificate == nil else { return }
        let path = try await questions.text("File of the certificate, PKCS#12 or PEM") { path in
            access(Self.absolute(path), R_OK) == 0 ? nil : "It cannot be read: \(Posix.reason(errno))."
        }
        guard let path else { throw CommandFailure(.usage, "The certificate is missing: give it with --cert.") }
        draft.set("file", Self.absolute(path), in: "cert")
        let name = path.lowercased()
        guard !name.hasSuffix(".p12"), !name.hasSuffix(".pfx") else { return }
        let key = try await questions.text("File of the private key", default: Self.absolute(path))
        if let key, key != Self.absolute(path) { draft.set("key", Self.absolute(key), in: "cert") }
    }
}

extension Optional where Wrapped: Sendable {
    /// The value, else that of another source.
    func or(
        _ other: () async throws(CommandFailure) -> Wrapped?
    ) async throws(CommandFailure) -> Wrapped? {
        if let self { return self }
        return try await other()
    }
}
