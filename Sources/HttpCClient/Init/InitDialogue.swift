import Foundation
import HttpC
import HttpCTerminal
import HttpConvFormats

/// Makes a profile out of what was found, the options, and the person's answers.
struct InitDialogue: Sendable {
    let plan: ClientPlan
    let settings: InitSettings
    let questions: InitQuestions
    let probe: ServerProbe
    /// The profiles that there are.
    let known: [Profile]
    let diagnostics: Diagnostics

    private var target: TargetURL { probe.target }

    /// - Parameter demand: the login that the server demands; nil if it demands none
    /// - Returns: nil if there is nothing to write
    func draft(_ demand: LoginDemand?) async throws(CommandFailure) -> ProfileDraft? {
        let isGiven = plan.connection.certificate != nil || settings.user != nil || settings.issuer != nil
        guard demand != nil || isGiven else {
            diagnostics.message(
                "nothing was written: there is no login to configure. If only a part of it wants one, name the URL of that part."
            )
            return nil
        }
        var draft = ProfileDraft(name: try await name())
        draft.set("match", .texts([try await match()]))
        try addConnection(to: &draft)
        if let demand {
            try await add(demand, to: &draft)
        } else if settings.issuer != nil {
            try await addTokens(to: &draft, nil, nil)
        } else if settings.user != nil {
            try await addPassword(to: &draft)
        }
        return draft
    }

    /// Adds the login that a server demands.
    func add(_ demand: LoginDemand, to draft: inout ProfileDraft) async throws(CommandFailure) {
        switch demand {
        case .password: try await addPassword(to: &draft)
        case .token(let scope, let metadata): try await addTokens(to: &draft, scope, metadata)
        case .page(let login): try await addPages(to: &draft, login)
        case .certificate: try await addCertificate(to: &draft)
        case .unknown: break
        }
    }

    // MARK: Name, URLs, connection

    private func name() async throws(CommandFailure) -> String {
        let taken = Set(known.map(\.name))
        let problem = { (name: String) -> String? in
            guard ProfileName.isValid(name) else { return "A name may have letters, digits, - _ . only." }
            return taken.contains(name) ? "There is a profile of that name." : nil
        }
        if let name = settings.name {
            if let problem = problem(name) {
                throw CommandFailure(.usage, problem + " Choose another one with --name.")
            }
            return name
        }
        let usual = Self.freeName(Self.name(of: target.origin), taken)
        return try await questions.text("Name of the profile", default: usual, problem) ?? usual
    }

    /// A name made of a host's first label that says something.
    static func name(of origin: Origin) -> String {
        let labels = origin.host.split(ascii: ".").filter { $0 != "www" }
        let isAddress = origin.host.utf8.allSatisfy { (0x30...0x39).contains($0) || ".:[]".utf8.contains($0) }
        let name = isAddress ? "local" : labels.first.map { String($0) } ?? ""
        return ProfileName.isValid(name) ? name : "site"
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
        draft.set("cacert", connection.caCertificate.map { Self.absolute($0) })
        draft.set("proxy-cacert", connection.proxyCACertificate.map { Self.absolute($0) })
        if let proxy = connection.proxy {
            if proxy.contains(ascii: "@") || connection.proxyUser != nil {
                diagnostics.message("the proxy is not in the profile, because it has a login: see httpc help profiles.")
            } else {
                draft.set("proxy", proxy)
            }
        }
        guard let certificate = connection.certificate else { return }
        guard certificate.token == nil else {
            // Its name may hold a PIN.
            return diagnostics.message(
                "the certificate on a token is not in the profile: see httpc help profiles for its key.")
        }
        draft.add(table: "cert")
        draft.set("file", Self.absolute(certificate.path), in: "cert")
        draft.set("key", certificate.key.map { Self.absolute($0) }, in: "cert")
        draft.set("type", certificate.kind?.rawValue, in: "cert")
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
    }

    // MARK: Passwords and certificates

    private func addPassword(to draft: inout ProfileDraft) async throws(CommandFailure) {
        guard target.origin.scheme == .https || target.origin.isLoopback else {
            throw CommandFailure(
                .usage,
                "A profile's password goes over https only, and \(target.origin) is not. Is there https://\(target.origin.host)/?"
            )
        }
        let asked = try await settings.user.or { () async throws(CommandFailure) in
            try await questions.text("User name at \(target.origin)")
        }
        guard let user = asked, !user.isEmpty else {
            throw CommandFailure(.usage, "The user name is missing: give it with --user.")
        }
        draft.set("username", user, in: "basic")
        try await addSecret(
            "password", settings.password, to: &draft, in: "basic", "\(draft.name.uppercased())_PASSWORD")
    }

    /// Asks where a secret comes from. The secret itself is never asked for, nor written.
    private func addSecret(
        _ key: String, _ given: PasswordSource?, to draft: inout ProfileDraft, in table: String, _ variable: String
    ) async throws(CommandFailure) {
        switch given {
        case .environment(let variable)?: draft.set("\(key)-env", variable, in: table)
        case .file(let path)?: draft.set("\(key)-file", Self.absolute(path), in: table)
        default:
            switch try await questions.choose(
                "Where does the \(key.replacing("-", with: " ")) come from?",
                ["I type it each time", "an environment variable", "a file that only I can read"])
            {
            case 1:
                let usual = String(variable.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
                draft.set("\(key)-env", try await questions.text("Name of the variable", default: usual), in: table)
            case 2:
                let path = try await questions.text("Path of the file") {
                    PasswordSource.problem(ofFile: Self.absolute($0)).map { "It cannot be used: \($0)." }
                }
                draft.set("\(key)-file", path.map { Self.absolute($0) }, in: table)
            default: break
            }
        }
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

    // MARK: OAuth2

    private func addTokens(
        to draft: inout ProfileDraft, _ scope: String?, _ named: TargetURL?
    ) async throws(CommandFailure) {
        guard target.origin.scheme == .https || target.origin.isLoopback else {
            throw CommandFailure(.usage, "A profile's tokens go over https only, and \(target.origin) is not.")
        }
        let resource = try await probe.resourceMetadata(named)
        let (issuer, metadata) = try await issuer(resource?.issuers ?? [])
        draft.set("issuer", issuer, in: "oauth2")
        let grants = Self.grants(metadata)
        var grant = settings.grant
        if grant == nil {
            grant = grants[try await questions.choose("How do you log in there?", grants.map(Self.words))]
        }
        if let grant, grant != .code { draft.set("grant", grant.rawValue, in: "oauth2") }
        let client = try await settings.clientID.or { () async throws(CommandFailure) in
            diagnostics.message(
                "this client has to be known at \(TerminalText.sanitise(issuer)): its administrator registers one, with the redirect URI http://127.0.0.1/callback."
            )
            return try await questions.text("Client id")
        }
        guard let client, !client.isEmpty else {
            throw CommandFailure(.usage, "The client id is missing: give it with --client-id.")
        }
        draft.set("client-id", client, in: "oauth2")
        if grant == .password {
            let user = try await settings.user.or { () async throws(CommandFailure) in
                try await questions.text("User name")
            }
            guard let user else { throw CommandFailure(.usage, "The user name is missing: give it with --user.") }
            draft.set("username", user, in: "oauth2")
            try await addSecret(
                "password", settings.password, to: &draft, in: "oauth2", "\(draft.name.uppercased())_PASSWORD")
        }
        try await addClientSecret(to: &draft, isNeeded: grant == .clientCredentials)
        try await addScopes(to: &draft, scope, resource?.scopes ?? [])
        try await addViewer(to: &draft, canListen: grant == .code || grant == nil)
    }

    /// An issuer of another origin is used only after a person has confirmed it, or named it with --issuer (security
    /// rule S33).
    private func issuer(_ offered: [String]) async throws(CommandFailure) -> (String, ServerMetadata?) {
        if let issuer = settings.issuer { return (issuer, try await probe.serverMetadata(issuer)) }
        let own = "\(target.origin)"
        for issuer in offered + [own, own + "/"] {
            guard let metadata = try await probe.serverMetadata(issuer) else { continue }
            let isOwn = (try? TargetURL(issuer).origin) == target.origin
            let shown = TerminalText.sanitise(issuer)
            if isOwn { diagnostics.message("its authorization server is \(shown).") }
            if isOwn { return (issuer, metadata) }
            guard questions.isAttended else {
                throw CommandFailure(
                    .usage,
                    "\(target.origin) names the authorization server \(shown), another server. If that is the right one, add --issuer \(shown)"
                )
            }
            if try await questions.confirm(
                "It names the authorization server \(shown). Is that where you log in?")
            {
                return (issuer, metadata)
            }
        }
        let typed = try await questions.text("Issuer URL of the authorization server") {
            (try? TargetURL($0)) == nil ? "An issuer is a URL, such as https://login.example.com." : nil
        }
        guard let issuer = typed else {
            throw CommandFailure(.usage, "No authorization server was found: name it with --issuer.")
        }
        let metadata = try await probe.serverMetadata(issuer)
        if metadata == nil {
            diagnostics.message(
                "\(TerminalText.sanitise(issuer)) publishes no metadata that names exactly this issuer.")
        }
        return (issuer, metadata)
    }

    private static func grants(_ metadata: ServerMetadata?) -> [OAuth2Login.Grant] {
        let hasPages = metadata.map { $0.authorizationEndpoint != nil } ?? true
        let hasDevices = metadata.map { $0.deviceEndpoint != nil } ?? false
        return (hasPages ? [.code] : []) + (hasDevices ? [.device] : []) + [.clientCredentials, .password]
    }

    private static func words(_ grant: OAuth2Login.Grant) -> String {
        switch grant {
        case .code: "in the browser (code)"
        case .device: "on another device, such as a telephone (device)"
        case .clientCredentials: "not as a person: the client has a secret of its own (client-credentials)"
        case .password: "with a password that the client sends (password)"
        case .jwtBearer, .saml2Bearer, .tokenExchange: "for a person, by an assertion or a token (\(grant.rawValue))"
        }
    }

    private func addClientSecret(to draft: inout ProfileDraft, isNeeded: Bool) async throws(CommandFailure) {
        let variable = "\(draft.name.uppercased())_SECRET"
        if let secret = settings.clientSecret {
            return try await addSecret("client-secret", secret, to: &draft, in: "oauth2", variable)
        }
        guard questions.isAttended else { return }
        let has = try await isNeeded ? true : questions.confirm("Does the client have a secret?", default: false)
        guard has else { return }
        let isVariable =
            try await questions.choose(
                "Where does the client secret come from?", ["an environment variable", "a file that only I can read"])
            == 0
        let usual = String(variable.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        let place =
            try await isVariable
            ? questions.text("Name of the variable", default: usual)
            : questions.text("Path of the file").map { Self.absolute($0) }
        draft.set(isVariable ? "client-secret-env" : "client-secret-file", place, in: "oauth2")
    }

    private func addScopes(
        to draft: inout ProfileDraft, _ wanted: String?, _ supported: [String]
    ) async throws(CommandFailure) {
        if let scopes = settings.scopes {
            if !scopes.isEmpty { draft.set("scopes", .texts(scopes), in: "oauth2") }
            return
        }
        let usual = (wanted.map { $0.split(ascii: " ").map { String($0) } } ?? []).filter(ServerProbe.isScope)
        guard questions.isAttended else {
            if !usual.isEmpty { draft.set("scopes", .texts(usual), in: "oauth2") }
            return
        }
        if !supported.isEmpty {
            diagnostics.message("its scopes are \(TerminalText.sanitise(supported.joined(separator: " "))).")
        }
        let text = try await questions.text(
            "Scopes, - for the server's own choice", default: usual.isEmpty ? "-" : usual.joined(separator: " "))
        let scopes = (text ?? "-").split(ascii: " ").map { String($0) }.filter { $0 != "-" && ServerProbe.isScope($0) }
        if !scopes.isEmpty { draft.set("scopes", .texts(scopes), in: "oauth2") }
    }

    // MARK: Login pages

    private func addPages(to draft: inout ProfileDraft, _ login: RecognizedLogin) async throws(CommandFailure) {
        try await addOrigins(to: &draft, login.provider)
        draft.add(login)
        try await addStart(to: &draft, login)
        for (field, source) in plan.web.answers.sorted(by: { $0.key < $1.key }) {
            draft.set(field, Self.value(source), in: "answers")
        }
        try await addViewer(to: &draft, canListen: false)
    }

    /// A start page of the service provider's own is better for requests other than GET, and where pages are shown
    /// without a login, too.
    private func addStart(to draft: inout ProfileDraft, _ login: RecognizedLogin) async throws(CommandFailure) {
        guard login.kind != .oneTimeCode, let product = login.product, product != .sap,
            let start = product.start(for: target)
        else { return }
        let choice = try await questions.choose(
            "Where does a login start?",
            ["at the page that wants it", "at \(start.root)\(start.path.dropFirst()), the start page of \(product)"])
        if choice == 1 { draft.set("start", start.requestTarget, in: login.kind == .saml2 ? "saml2" : "web-login") }
    }

    /// Answers go to the servers of the profile only. An identity provider elsewhere is named after a person has
    /// confirmed it, or with --answer-origin (security rule S33).
    private func addOrigins(to draft: inout ProfileDraft, _ provider: Origin?) async throws(CommandFailure) {
        var origins = ([target.origin] + plan.web.answerOrigins).map(\.description)
        origins += draft.texts("answer-origins")
        if let provider, !origins.contains(provider.description) {
            guard questions.isAttended else {
                throw CommandFailure(
                    .usage,
                    "\(target.origin) leads to login pages of \(provider), another server. If that is the right one, add --answer-origin \(provider)"
                )
            }
            guard try await questions.confirm("Its login pages are at \(provider). Is that where you log in?") else {
                throw CommandFailure(.loginFailed, "Nothing was written, because the login leads to \(provider).")
            }
            origins.append(provider.description)
        }
        origins = origins.enumerated().filter { !origins[..<$0.offset].contains($0.element) }.map(\.element)
        if origins.count > 1 { draft.set("answer-origins", .texts(origins)) }
    }

    private static func value(_ source: AnswerSource) -> ProfileDraft.Value? {
        switch source {
        case .text(.literal(let text)): .text(text.value)
        case .text(.environment(let variable)): .source("env", variable)
        case .text(.file(let path)): .source("file", absolute(path))
        case .totp(.environment(let variable)): .source("totp-env", variable)
        case .text(.command(let words)): .program(words)
        case .text(.keyring(let entry)): .source("keyring", entry)
        default: nil
        }
    }

    private func addViewer(to draft: inout ProfileDraft, canListen: Bool) async throws(CommandFailure) {
        if let kind = plan.web.kind { return draft.set("web", kind.rawValue) }
        guard questions.isAttended else { return }
        let usual = canListen ? "my own browser" : "a browser window if there is a display, else this terminal"
        let choice = try await questions.choose(
            "Where do you want to see login pages?", [usual, "always this terminal", "always a window of Chromium"])
        draft.set("web", [nil, "terminal", "chromium"][choice])
    }
}

extension Optional where Wrapped: Sendable {
    /// The value, else that of another source.
    fileprivate func or(
        _ other: () async throws(CommandFailure) -> Wrapped?
    ) async throws(CommandFailure) -> Wrapped? {
        if let self { return self }
        return try await other()
    }
}
