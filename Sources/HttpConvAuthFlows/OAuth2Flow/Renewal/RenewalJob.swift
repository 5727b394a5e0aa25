import HttpConvConcurrency
import HttpConvPlatform
import HttpConversation
import Logging

/// Obtains tokens for one storage key: another process's new tokens, else by a refresh, else by the grant.
struct RenewalJob: Sendable {
    let flow: OAuth2Flow
    let key: OAuth2TokenKey
    let support: any OAuth2ServerSupport
    let challenge: OAuth2Challenge
    /// The access tokens that the server refused, or that are to be replaced.
    let refused: Set<Redacted<String>>
    var mayRefresh: Bool
    let mayGrant: Bool
    /// Whether the grant is allowed if it needs no person.
    var mayGrantAlone = false
    /// Whether only the tokens of a login count, and no refreshed ones.
    var isLogin = false
    /// The kind of login that a server has demanded; then only such a login helps.
    var demand: OAuth2AuthenticationDemand?
    /// Whether requests that would carry the tokens wait for them, because no usable tokens are left.
    var isWaitedFor = false
    /// Whether the old tokens can be used if these cannot be had: then the job does not wait for a storage that is
    /// away.
    var hasUsableTokens = false
    /// Whether tokens stay although their refresh token is refused: no server has said that the access token has ended.
    var keepsTokens = false

    private var context: ConversationContext { challenge.context }
    private var store: TokenStorageFallback { flow.store }

    /// The job as a step: one at a time for each key of a session. Its failure also applies to exchanges that were in
    /// flight when it ended: they do not start another job. A job with usable tokens does not wait for an unreachable
    /// storage, so its failure applies only to the conversations that joined it.
    var step: ConversationStep<Renewal> {
        let covers: StepCoverage = { [support, key] request, context in
            guard support.sends(key, with: request) else { return false }
            return (try? await support.claims(request.target, in: context)) ?? false
        }
        return ConversationStep(
            key: demand == nil
                ? flow.renewal(of: key) : StepKey(flow: flow.identity, key: key, demand: demand).ofStep,
            covers: isWaitedFor ? covers : nil, policy: StepPolicy(remembers: hasUsableTokens ? .nothing : .failures)
        ) { _ in try await run() }
    }

    /// The identity of a job.
    struct StepKey: Hashable, Sendable {
        let flow: FlowIdentity
        let key: OAuth2TokenKey
        var demand: OAuth2AuthenticationDemand?

        /// The step's key in the engine, for tests that hold a job until all requests wait.
        var ofStep: SendableKey { SendableKey(self, for: Renewal.self) }
    }

    func run() async throws -> Renewal {
        try await store.withLease(
            for: key, duration: flow.settings.leaseDuration, isUrgent: !hasUsableTokens, in: context
        ) {
            try await usable().map { .tokens($0) }
        } _: { lease in
            do { return try await renew(under: lease) } catch let error as OAuth2Error where error.code == .leaseLost {
                // Another process was faster, and its tokens are newer than ours; or the person has logged out.
                guard let tokens = try await usable() else { throw error }
                return .tokens(tokens)
            }
        }
    }

    /// The stored tokens. A login also replaces those that cannot be read.
    private func stored() async throws -> OAuth2Tokens? {
        do { return try await store.tokens(for: key, in: context) } catch let error as OAuth2Error {
            guard isLogin, error.code == .storageFailed else { throw error }
            return nil
        }
    }

    private func usable() async throws -> OAuth2Tokens? {
        guard let tokens = try await stored(), !refused.contains(tokens.accessToken),
            isCurrent(tokens), !isLogin || tokens.source == .grant,
            demand == nil || tokens.demand == demand,
            // Another process may use another certificate or no key.
            try await !flow.isUnfit(tokens, support, challenge.target, context)
        else { return nil }
        return tokens
    }

    private func isCurrent(_ tokens: OAuth2Tokens) -> Bool { flow.isCurrent(tokens, at: flow.clock.date) }

    private func renew(under lease: OAuth2Lease?) async throws -> Renewal {
        if let tokens = try await usable() { return .tokens(tokens) }
        try flow.backoff.check(key, at: flow.settings.clock.uptime)
        let stored = try await stored()
        context.notify(.tokensNeeded(stored.map { isCurrent($0) ? .refused : .ended } ?? .missing))
        do {
            guard let configuration = try await configuration() else { return .needsGrant }
            flow.refusals.note(configuration.grant, of: key)
            if challenge.demandsBoundTokens, !configuration.usesDPoP, !support.requiresBoundTokens { throw unbound }
            let client = { (key: DPoPKey?) in
                OAuth2Client(
                    configuration: configuration, requests: OAuth2Requests(context), prover: key.map(flow.prover))
            }
            if mayRefresh, let stored, let token = stored.refreshToken,
                let tokens = try await refresh(
                    token, stored, client(stored.dpopKey ?? newKey(configuration)), lease)
            {
                return .tokens(tokens)
            }
            guard mayGrant || mayGrantAlone && !configuration.grant.needsPerson else { return .needsGrant }
            return .tokens(try await grant(client(newKey(configuration)), lease))
        } catch let error as OAuth2Error {
            flow.backoff.note(error, key, at: flow.settings.clock.uptime)
            throw error
        }
    }

    /// The configuration. Nil if a job without a challenge cannot get it, for example because it must not ask for a
    /// passphrase. Conversations with a challenge that have joined this job then run a job of their own.
    private func configuration() async throws -> OAuth2Configuration? {
        do { return try await support.config(forChallenge: challenge) } catch {
            try Task.checkCancellation()
            let failure = error as? OAuth2Error
            guard keepsTokens, !(error is CancellationError), failure?.leavesOldTokens != true else { throw error }
            context.logger.notice(
                "there is no configuration for tokens after a 401 without a Bearer challenge",
                metadata: ["code": "\(failure.map { "\($0.code)" } ?? "other")"])
            return nil
        }
    }

    private func newKey(_ configuration: OAuth2Configuration) -> DPoPKey? {
        configuration.usesDPoP || support.requiresBoundTokens ? DPoPKey() : nil
    }

    private var unbound: OAuth2Error {
        OAuth2Error(
            .invalidConfiguration,
            "\(challenge.target.origin) accepts only tokens that are bound to a key: let the client use DPoP (RFC 9449)."
        )
    }

    // MARK: Refresh

    /// Refreshes the tokens; nil if only the grant is left.
    ///
    /// - Throws: if the network or the server failed: no login is attempted because of that
    private func refresh(
        _ token: Redacted<String>, _ stored: OAuth2Tokens, _ client: OAuth2Client, _ lease: OAuth2Lease?
    ) async throws -> OAuth2Tokens? {
        try Task.checkCancellation()
        // A refresh is never cancelled once it was sent: the server may have replaced the refresh token already. The
        // job waits for it even if its own waiters are gone, because the lease must not end earlier. A later caller
        // joins it here, so the same refresh token is never sent twice.
        let refresh = ConversationStep(
            RefreshKey(flow: flow.identity, key: key), policy: StepPolicy(runsToCompletion: true)
        ) { _ in
            try await exchange(token, stored, client, lease)
        }
        return try await Task { [context] in try await context.perform(refresh) }.value
    }

    private struct RefreshKey: Hashable, Sendable {
        let flow: FlowIdentity
        let key: OAuth2TokenKey
    }

    private func exchange(
        _ token: Redacted<String>, _ stored: OAuth2Tokens, _ client: OAuth2Client, _ lease: OAuth2Lease?
    ) async throws -> OAuth2Tokens? {
        let response: TokenResponse
        do {
            response = try await client.tokens(by: .refresh(token))
        } catch let error as OAuth2Error {
            guard Self.endsRefresh(error) else { throw error }
            context.logger.info("a refresh token was refused", metadata: ["error": "\(error.serverError ?? "")"])
            context.notify(.refreshRefused)
            return try await afterRefusal(error, of: stored, lease)
        }
        let tokens = response.tokens(at: flow.settings.clock.date, source: .refresh, keeping: stored)
        try await save(tokens, .refreshed, client, lease)
        return try await checked(tokens)
    }

    /// Whether the server's answer means that this refresh token is useless: it has refused it, by whatever name, or by
    /// an object without one, as Strava does. UAA calls an expired one `invalid_token`, GitHub `bad_refresh_token`, and
    /// Entra ID demands a person by the errors of OpenID Connect Core §3.1.2.6. A refused client is another matter: it
    /// would be refused after a login, too, unless it may only not refresh (`unauthorized_client`). So is another status,
    /// such as the 404 of a gateway, whose page may have an `error` of its own.
    private static func endsRefresh(_ error: OAuth2Error) -> Bool {
        switch error.code {
        case .invalidGrant, .expired: true
        case .refused:
            [200, 400, 401].contains(error.status)
                && (!error.refusesClient || error.serverError == "unauthorized_client")
        default: false
        }
    }

    /// Reads the storage again before deleting anything: another process may have rotated the token meanwhile.
    private func afterRefusal(
        _ error: OAuth2Error, of stored: OAuth2Tokens, _ lease: OAuth2Lease?
    ) async throws -> OAuth2Tokens? {
        if let now = try await store.tokens(for: key, in: context), now.refreshToken != stored.refreshToken {
            if !refused.contains(now.accessToken) { return now }
        } else if error.code == .invalidGrant, !keepsTokens {
            try await store.remove(key, under: lease, in: context)
            flow.changes.tell(OAuth2TokenChange(kind: .removed, key: key))
        }
        return nil
    }

    // MARK: Grant

    private func grant(_ client: OAuth2Client, _ lease: OAuth2Lease?) async throws -> OAuth2Tokens {
        let tokens = try await obtain(client).tokens(
            at: flow.settings.clock.date, source: .grant, satisfying: demand)
        try await save(tokens, .granted, client, lease)
        return try await checked(tokens)
    }

    /// Rejects new tokens that are bound to another certificate than their server gets: renewing would repeat forever.
    private func checked(_ tokens: OAuth2Tokens) async throws -> OAuth2Tokens {
        guard try await flow.isBoundElsewhere(tokens, support, challenge.target, context) else { return tokens }
        throw OAuth2Flow.boundElsewhere(key, challenge.target)
    }

    /// Requests tokens by the grant; for some grants a person logs in first.
    private func obtain(_ client: OAuth2Client) async throws -> TokenResponse {
        let configuration = client.configuration
        var client = client
        if case .authorizationCode = configuration.grant {} else { client.claims = demand?.claims }
        switch configuration.grant {
        case .authorizationCode(let grant):
            return try await AuthorizationCodeLogin(
                client: client, grant: grant, key: key, context: context, strategies: flow.web.strategies,
                demand: demand
            ).obtain()
        case _ where demand != nil && client.claims == nil:
            throw OAuth2Error(
                .insufficientAuthentication,
                "\(challenge.target.origin) demands a login of another kind, and the \(configuration.grant) grant has no login."
            )
        case .password(let login):
            return try await tokens(by: login, client)
        case .clientCredentials:
            return try await client.tokens(by: .clientCredentials(of: configuration))
        case .deviceAuthorization(let grant):
            return try await DeviceAuthorization(client: client, grant: grant).obtain()
        case .jwtBearer(let source):
            let assertion = try await source.assertion(.jwt, for: configuration, in: context)
            return try await client.tokens(by: .jwtBearer(assertion, of: configuration))
        case .saml2Bearer(let source):
            let assertion = try await source.assertion(.saml2, for: configuration, in: context)
            return try await client.tokens(by: .saml2Bearer(assertion, of: configuration))
        case .tokenExchange(let grant):
            return try await client.tokens(
                by: .tokenExchange(try await grant.parameters(of: configuration, in: context)))
        }
    }

    /// Requests tokens by a password, unless the server has refused it a short time ago. An explicit login sends it
    /// again.
    private func tokens(by login: UsernamePassword, _ client: OAuth2Client) async throws -> TokenResponse {
        let place = client.configuration.tokenEndpoint.origin
        guard let attempt = try await flow.passwords.permission(for: login, at: place, again: isLogin) else {
            throw OAuth2Error(
                .invalidGrant,
                "The authorization server \(place) has refused this user name and password before, and they are not sent there again for ten minutes: correct them.",
                serverError: "invalid_grant")
        }
        do {
            let response = try await client.tokens(by: .password(login, of: client.configuration))
            flow.passwords.settle(attempt, .accepted)
            return response
        } catch {
            let isRefused = (error as? OAuth2Error).map(Self.refusesPassword) ?? false
            flow.passwords.settle(attempt, isRefused ? .refused : .unknown)
            throw error
        }
    }

    /// UAA has its own name for a wrong password.
    private static func refusesPassword(_ error: OAuth2Error) -> Bool {
        error.code == .invalidGrant || error.serverError == "unauthorized" && error.status == 401
    }

    private func save(
        _ tokens: OAuth2Tokens, _ kind: OAuth2TokenChange.Kind, _ client: OAuth2Client, _ lease: OAuth2Lease?
    ) async throws {
        // The server has issued these tokens: store or revoke them even if all waiters are gone.
        let isSafe = try await Task { [store, key, context] in
            do {
                if kind == .refreshed, lease == nil, try await store.tokens(for: key, in: context) == nil {
                    throw OAuth2Error(.leaseLost, "The tokens of \(key) were removed while they were renewed.")
                }
                return try await store.save(tokens, for: key, under: lease, in: context)
            } catch let error as OAuth2Error where error.code == .leaseLost {
                try await revokeAfterLogOut(tokens, client)
                throw error
            }
        }.value
        if !isSafe {
            context.logger.error(
                "new tokens could not be stored: they are kept in memory until the storage works again",
                metadata: ["key": "\(key)"])
        }
        flow.changes.tell(OAuth2TokenChange(kind: kind, key: key))
        let lifetime = tokens.expiresAt.flatMap { Int(exactly: $0.timeIntervalSince(tokens.receivedAt).rounded()) }
        context.notify(.tokensObtained(isRefresh: kind == .refreshed, lifetime: lifetime))
    }

    /// Revokes new tokens whose predecessors a log-out has removed: nobody else knows them. After another process's
    /// renewal it does nothing, because some servers would end the tokens of that renewal, too.
    private func revokeAfterLogOut(_ tokens: OAuth2Tokens, _ client: OAuth2Client) async throws {
        guard try await store.tokens(for: key, in: context) == nil else { return }
        context.logger.info("new tokens are revoked: the old ones were removed meanwhile", metadata: ["key": "\(key)"])
        try? await client.revoke(tokens)
    }
}

/// The result of a renewal.
enum Renewal: Sendable {
    /// Tokens that were not refused: another process's, or new ones.
    case tokens(OAuth2Tokens)
    /// Only a login would help, and it was not allowed.
    case needsGrant
}

extension OAuth2ServerSupport {
    /// Whether a request would carry the tokens of a key.
    fileprivate func sends(_ key: OAuth2TokenKey, with request: ConversationRequest) -> Bool {
        isSupportedEndpoint(request.target) && maySendTokens(to: request.target) && self.key(for: request.target) == key
    }
}
