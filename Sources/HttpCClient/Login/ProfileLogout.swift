package import HttpC
package import HttpCTerminal
import HttpConversationNIO

/// Ends the logins of a profile: its tokens, at the server too, its cookies, and its sessions at identity providers.
package struct ProfileLogout: Sendable {
    private let plan: ClientPlan
    private let profile: Profile
    private let target: TargetURL?
    private let run: CommandRun

    package init(_ plan: ClientPlan, _ profile: Profile, for target: TargetURL?, _ run: CommandRun) {
        self.plan = plan
        self.profile = profile
        self.target = target
        self.run = run
    }

    /// Ends everything that can be ended, even if one part fails.
    package func perform() async throws(CommandFailure) {
        var hasEndedTokens = false
        try await CommandFailure.both(
            { () async throws(CommandFailure) in hasEndedTokens = try await endTokens() },
            { () async throws(CommandFailure) in try await endSession(hasEndedTokens: hasEndedTokens) })
    }

    // MARK: Cookies

    private func endSession(hasEndedTokens: Bool) async throws(CommandFailure) {
        let kept = try await ProfileCookies.stored(of: profile.name) ?? CookieStore.Snapshot()
        let told: Result<Bool, CommandFailure> = await tell(kept)
        // Runs even without stored cookies, because a running process may have unsaved ones.
        try await ProfileCookies.clear(of: profile.name)
        if !kept.cookies.isEmpty {
            let end = (try? told.get()) == true ? " The server was told." : " At the server the session ends by itself."
            run.diagnostics.message(
                "logged out: the cookies of the profile \"\(profile.name)\" are removed here."
                    + (profile.hasWebLogin ? end : ""))
        }
        let providers = try await ProfileSingleSignOn.forget(of: profile)
        if !providers.isEmpty {
            run.diagnostics.message(
                "the session at \(providers.map(\.description).joined(separator: ", ")) is forgotten here"
                    + "\(profile.singleSignOn.sharedWords). There it ends by itself.")
        }
        if kept.cookies.isEmpty, providers.isEmpty, profile.oauth2 == nil, !hasEndedTokens {
            run.diagnostics.message("there is no session of the profile \"\(profile.name)\".")
        }
        if profile.logon != nil {
            run.diagnostics.message(
                "the registration stays: \(profile.commandLine("unregister")) ends it, and httpc lock locks it."
            )
        }
        if case .failure(let failure) = told {
            throw CommandFailure(
                failure.status, "The server did not end the session of \"\(profile.name)\". \(failure.message)")
        }
    }

    /// Calls the relying party's own logout, with the cookies of its session.
    ///
    /// - Returns: whether there was one to call
    private func tell(_ cookies: CookieStore.Snapshot) async -> Result<Bool, CommandFailure> {
        guard let url = profile.singleSignOn.logoutURL, !cookies.cookies.isEmpty else { return .success(false) }
        do throws(CommandFailure) {
            let client = try await Client(plan.connection, profile, for: [url])
            for warning in client.warnings { run.diagnostics.message(warning) }
            let session = HttpSession(cookies: CookieStore(cookies, suffixes: PublicSuffixList.installed))
            var (configuration, configurator) = (client.configuration, client.configurator)
            configuration.session = session
            configurator.session = session
            configuration.apply(configurator)
            configuration.observe(plan, of: profile, run.transcripts, run.diagnostics)
            let manager = HttpConversationManager(
                transport: NIOTransport(configuration: client.transport), configuration: configuration)
            let status: Int
            do { status = try await manager.data(for: HTTPRequest(.get, url)).status.code } catch {
                throw CommandFailure(login: error)
            }
            guard status < 400 else {
                throw CommandFailure(.loginFailed, "\(url.origin) answered \(status) at logout-url.")
            }
            return .success(true)
        } catch {
            return .failure(error)
        }
    }

    // MARK: Tokens

    /// - Returns: whether tokens without settings were removed
    private func endTokens() async throws(CommandFailure) -> Bool {
        guard profile.oauth2 != nil else { return try await endEarlierTokens(except: nil) }
        var plan = plan
        plan.profile = profile.name
        let tokens = try TokenRun(plan, for: target, grant: nil, isForLogout: true, run)
        try await CommandFailure.both(
            { () async throws(CommandFailure) in
                do { try await end(tokens) } catch { throw CommandFailure(login: error, given: tokens.given) }
            },
            { () async throws(CommandFailure) in _ = try await endEarlierTokens(except: tokens.oauth2.tokenKey) })
        return false
    }

    /// Removes the tokens under other keys than the present one: of another client, server, person or match.
    ///
    /// - Parameter present: the key of the profile's settings; nil without any. With a URL, tokens of the same settings
    ///   for other URLs stay
    /// - Returns: whether there were any
    private func endEarlierTokens(except present: OAuth2TokenKey?) async throws(CommandFailure) -> Bool {
        guard let storage = try await ProfileState(profile: profile.name).existingTokens() else { return false }
        do {
            let earlier = try await storage.keys().filter { key in
                key != present && (target == nil || key.supportName != present?.supportName)
            }
            guard !earlier.isEmpty else { return false }
            for key in earlier { try await storage.removeTokens(for: key) }
            let logins = earlier.count == 1 ? "a login" : "\(earlier.count) logins"
            run.diagnostics.message(
                "the tokens of \(logins) by earlier settings of the profile \"\(profile.name)\" are removed here. Their "
                    + "servers were not told: there they stay valid until they expire.")
            return true
        } catch {
            throw CommandFailure(login: error)
        }
    }

    private func end(_ tokenRun: TokenRun) async throws {
        let name = profile.name
        guard let storage = try await tokenRun.state.existingTokens() else {
            return run.diagnostics.message("there are no tokens of the profile \"\(name)\".")
        }
        let (manager, tokens): (HttpConversationManager, OAuth2TokenManager)
        do throws(CommandFailure) { (manager, tokens) = try await tokenRun.connect(storage) } catch {
            // Nothing can be sent, such as without the proxy's password.
            guard try await tokenRun.remove(from: storage) else {
                return run.diagnostics.message(Self.text(.nothingStored, name))
            }
            throw CommandFailure(error.status, Self.warning(error.message, name))
        }
        do {
            run.diagnostics.message(Self.text(try await tokens.logOut(from: tokenRun.url, using: manager), name))
        } catch {
            // The library removes the tokens first, so a later error is about the server alone.
            guard try await tokens.tokens(for: tokenRun.url) == nil else { throw error }
            let failure = CommandFailure(login: error, given: tokenRun.given)
            throw CommandFailure(failure.status, Self.warning(failure.message, name))
        }
    }

    private static func text(_ outcome: OAuth2LogOut, _ name: String) -> String {
        switch outcome {
        case .nothingStored: "there are no tokens of the profile \"\(name)\"."
        case .revoked: "logged out: the tokens of the profile \"\(name)\" are revoked at the server and removed here."
        case .sessionEnded:
            "logged out: the tokens of the profile \"\(name)\" are revoked at the server and removed here, and the "
                + "session there is ended."
        case .notRevocable:
            "the tokens of the profile \"\(name)\" are removed here. No revocation endpoint is known: at the server "
                + "they stay valid until they expire."
        }
    }

    private static func warning(_ reason: String, _ name: String) -> String {
        "The tokens of the profile \"\(name)\" are removed here, but the server did not revoke them: \(reason) "
            + "There they stay valid until they expire. Anybody with a copy can use them. End the session at the server."
    }
}
