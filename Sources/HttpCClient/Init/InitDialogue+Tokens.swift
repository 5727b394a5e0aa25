import HttpC
import HttpCTerminal
import HttpConvFormats

/// The questions about OAuth2.
extension InitDialogue {
    func addTokens(
        to draft: inout ProfileDraft, _ scope: String?, _ named: TargetURL?
    ) async throws(CommandFailure) {
        guard target.origin.isSecure else {
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
            try await addSecret("password", settings.password, to: &draft, in: "oauth2")
        }
        try await addClientSecret(to: &draft, isNeeded: grant == .clientCredentials)
        try await addScopes(to: &draft, scope, resource?.scopes ?? [])
        if grant == .code || grant == nil { try await addViewer(to: &draft, canListen: true) }
    }

    /// An issuer of another origin is asked and used only after a person has confirmed it, or named it with --issuer
    /// (security rule S33).
    private func issuer(_ offered: [String]) async throws(CommandFailure) -> (String, ServerMetadata?) {
        let problem = { (text: String) -> String? in
            ServerProbe.isSecure(text)
                ? nil
                : "An issuer is an https URL without query, such as https://login.example.com. On this machine http will do."
        }
        if let issuer = settings.issuer {
            if let problem = problem(issuer) { throw CommandFailure(.usage, "--issuer cannot be used. \(problem)") }
            return (issuer, try await probe.serverMetadata(issuer))
        }
        let own = "\(target.origin)"
        let isOfTarget = { (issuer: String) in (try? TargetURL(issuer).origin) == target.origin }
        let named = offered.prefix(Self.maximumIssuers)
        for issuer in named.filter(isOfTarget) + named.filter({ !isOfTarget($0) }) + [own, own + "/"] {
            let isOwn = isOfTarget(issuer)
            let shown = TerminalText.sanitise(issuer)
            guard isOwn || questions.isAttended else {
                throw CommandFailure(
                    .usage,
                    "\(target.origin) names the authorization server \(shown), another server. If that is the right one, add --issuer \(shown)"
                )
            }
            if !isOwn {
                let question = "It names the authorization server \(shown). Is that where you log in?"
                guard try await questions.confirm(question) else { continue }
            }
            if let metadata = try await probe.serverMetadata(issuer) {
                if isOwn { diagnostics.message("its authorization server is \(shown).") }
                return (issuer, metadata)
            }
            if !isOwn { tellNoMetadata(issuer) }
        }
        let typed = try await questions.text("Issuer URL of the authorization server", problem)
        guard let issuer = typed else {
            throw CommandFailure(.usage, "No authorization server was found: name it with --issuer.")
        }
        let metadata = try await probe.serverMetadata(issuer)
        if metadata == nil { tellNoMetadata(issuer) }
        return (issuer, metadata)
    }

    /// More servers are not asked about.
    private static let maximumIssuers = 5

    private func tellNoMetadata(_ issuer: String) {
        diagnostics.message("\(TerminalText.sanitise(issuer)) publishes no metadata that names exactly this issuer.")
    }

    private static func grants(_ metadata: ServerMetadata?) -> [OAuth2Table.Grant] {
        let hasPages = metadata.map { $0.authorizationEndpoint != nil } ?? true
        let hasDevices = metadata.map { $0.deviceEndpoint != nil } ?? false
        return (hasPages ? [.code] : []) + (hasDevices ? [.device] : []) + [.clientCredentials, .password]
    }

    private static func words(_ grant: OAuth2Table.Grant) -> String {
        switch grant {
        case .code: "in the browser (code)"
        case .device: "on another device, such as a telephone (device)"
        case .clientCredentials: "not as a person: the client has a secret of its own (client-credentials)"
        case .password: "with a password that the client sends (password)"
        case .jwtBearer, .saml2Bearer, .tokenExchange: "for a person, by an assertion or a token (\(grant.rawValue))"
        }
    }

    private func addClientSecret(to draft: inout ProfileDraft, isNeeded: Bool) async throws(CommandFailure) {
        if settings.clientSecret == nil {
            guard questions.isAttended || !isNeeded else {
                throw CommandFailure(
                    .usage, "The client's secret is missing: name its variable with --client-secret-env.")
            }
            guard questions.isAttended else { return }
            let has = try await isNeeded ? true : questions.confirm("Does the client have a secret?", default: false)
            guard has else { return }
        }
        try await addSecret("client-secret", settings.clientSecret, to: &draft, in: "oauth2")
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
}
