package import HttpC
package import HttpCTerminal
import HttpConvPlatform
package import HttpConvVaultStorage

/// The work of `login`, `logout` and `tokens --access-token`: the profile, its tokens, and the servers of its login.
package struct TokenRun: Sendable {
    package let oauth2: ProfileOAuth2
    /// The URL for the token manager: the command line's, else one of the profile's match.
    package let url: TargetURL
    /// The profile's state.
    package let state: ProfileState
    package let diagnostics: Diagnostics
    private let plan: ClientPlan
    private let transcripts: TranscriptFiles

    /// - Parameters:
    ///   - target: the URL of the command line
    ///   - grant: the grant that replaces the profile's
    ///   - isForLogout: whether it only ends logins
    package init(
        _ plan: ClientPlan, for target: TargetURL?, grant: OAuth2Table.Grant?, isForLogout: Bool = false,
        _ run: CommandRun
    ) throws(CommandFailure) {
        let profile = try ProfileChoice.chooseLogin(
            plan.profile, for: target, from: try ConfigurationFile.load(plan.configuration))
        guard let table = profile.oauth2 else {
            throw CommandFailure(
                .usage, "The profile \"\(profile.name)\" has no [profiles.\(profile.name).oauth2]: it needs no tokens.")
        }
        oauth2 = try ProfileOAuth2(
            profile, table, grant: grant, certificate: plan.connection.certificate, isForLogout: isForLogout,
            run.diagnostics)
        let place = target ?? oauth2.support.target
        guard oauth2.support.isSupportedEndpoint(place) else {
            throw CommandFailure(
                .usage, "\(place) is outside the match and token-origins of the profile \"\(profile.name)\".")
        }
        url = place
        state = ProfileState(profile: profile.name)
        self.plan = plan
        transcripts = run.transcripts
        diagnostics = run.diagnostics
    }

    /// The settings that no advice repeats.
    package var given: GivenSettings { GivenSettings(oauth2.profile, plan.connection) }

    /// Whether the URL may get the tokens.
    var givesTokens: Bool { oauth2.support.givesTokens(to: url) }

    /// A manager for the server, and the profile's tokens.
    ///
    /// - Parameter storage: the open storage; nil: that of the state is opened when it is needed
    package func connect(
        _ storage: VaultTokenStorage?
    ) async throws(CommandFailure) -> (HttpConversationManager, OAuth2TokenManager) {
        if plan.connection.unixSocket != nil, !oauth2.table.servers.contains(url.origin) {
            throw CommandFailure(
                .usage,
                "--unix-socket is for \(url.origin), and the login asks other servers: it would reach none of them.")
        }
        var client = try await Client(plan.connection, oauth2.profile, for: [url])
        for warning in client.warnings { diagnostics.message(warning) }
        client.configuration.observe(plan, of: oauth2.profile, transcripts, diagnostics)
        // Its requests have none of the flows' filters, but connect like any other, and a proxy's challenge is still
        // answered.
        return (client.manager, tokens(in: storage))
    }

    /// Valid tokens for another program: the stored ones, else new ones by a refresh or by a grant that needs no
    /// person.
    ///
    /// - Throws: a failure if the URL may not get them, if only a person could log in, or if they are bound to a key
    ///   that stays here
    package func usableTokens() async throws -> OAuth2Tokens {
        let name = oauth2.profile.name
        guard givesTokens else {
            throw CommandFailure(
                .usage,
                "The token-origins of the profile \"\(name)\" leave out \(url.origin), so it gets no token. If it may have one, add it there."
            )
        }
        let isUnattended = oauth2.table.grant.isUnattended
        // A person's login is in the vault. Other tokens may stay in memory, for lack of a place.
        let existing = try await isUnattended ? nil : state.existingTokens()
        guard isUnattended || existing != nil else { throw unusable }
        let (manager, tokens) = try await connect(existing)
        guard let found = try await tokens.validTokens(for: url, using: manager, loggingIn: isUnattended) else {
            throw unusable
        }
        guard found.dpopKey == nil else {
            throw CommandFailure(
                .loginFailed,
                "The token of the profile \"\(name)\" is bound to a key (DPoP), which stays here: another program cannot use it. Send the request with httpc."
            )
        }
        return found
    }

    private var unusable: CommandFailure {
        CommandFailure(
            .loginFailed,
            "There is no usable token of the profile \"\(oauth2.profile.name)\". Run: \(oauth2.profile.commandLine("login"))"
        )
    }

    /// Makes the next user of the tokens get new ones, because the server has refused the access token.
    ///
    /// - Parameter token: the refused token; nothing is done if another one is stored by now. Nil: the stored one
    func markRefused(_ token: String?) async throws {
        guard oauth2.table.keepsTokens, let storage = try await state.existingTokens() else { return }
        let key = oauth2.tokenKey
        try await storage.withLease(for: key, duration: .seconds(30)) {
            nil
        } _: { lease in
            guard let kept = try await storage.tokens(for: key), token == nil || kept.accessToken.value == token else {
                return
            }
            let now = Date()
            // With a refresh token, the tokens have merely expired.
            let ended = OAuth2Tokens(
                accessToken: kept.accessToken.value, refreshToken: kept.refreshToken?.value,
                idToken: kept.idToken?.value, scopes: kept.scopes, expiresAt: now,
                receivedAt: min(kept.receivedAt, now), source: kept.source,
                certificateThumbprint: kept.certificateThumbprint, dpopKey: kept.dpopKey, demand: kept.demand)
            try await storage.save(kept.refreshToken == nil ? nil : ended, for: key, under: lease)
        }
    }

    /// Removes the tokens without telling the server.
    ///
    /// - Returns: whether there were any
    func remove(from storage: VaultTokenStorage) async throws -> Bool {
        let tokens = tokens(in: storage)
        guard try await tokens.tokens(for: url) != nil else { return false }
        try await tokens.removeTokens(for: url)
        return true
    }

    private func tokens(in storage: VaultTokenStorage?) -> OAuth2TokenManager {
        var configurator = CommonAuthenticationConfigurator()
        oauth2.configure(&configurator, storage: ProfileTokens(state, in: storage, diagnostics))
        ProfileWeb(oauth2.profile, plan.web, state: state, cookies: nil, diagnostics)
            .configure(&configurator)
        return configurator.tokenManager
    }
}
