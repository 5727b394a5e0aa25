import Crypto
import Foundation
import Synchronization

/// The issued codes and tokens. All tokens of one authorization form a family and end together.
final class OAuthTokenStore: Sendable {
    private struct Access {
        let family: Int
        let scopes: [String]
        let issued: Duration
        let expires: Duration
        /// The thumbprint of the certificate to which the token is bound (RFC 8705, 3).
        var certificate: String?
        /// The thumbprint of the key to which the token is bound (RFC 9449, 6).
        var key: String?
    }

    private struct Refresh {
        let family: Int
        let issued: Duration
        let expires: Duration
        var isUsed = false
        /// The thumbprint of the key to which a public client's token is bound (RFC 9449, 5).
        var key: String?
    }

    private struct Code {
        let authorization: OAuthAuthorization
        let redirectURI: String
        let challenge: String
        let key: String?
        let expires: Duration
        var isUsed = false
        var family: Int?
    }

    private struct State {
        var families: [Int: OAuthAuthorization] = [:]
        var nextFamily = 0
        var access: [SecretKey: Access] = [:]
        var refresh: [SecretKey: Refresh] = [:]
        var codes: [SecretKey: Code] = [:]
    }

    /// The number of tokens above which expired access tokens are forgotten.
    private static let capacity = 100_000
    private let clock: LandscapeClock
    private let counters: CounterSet<OAuthCounters>
    private let state = Mutex(State())

    init(clock: LandscapeClock, counters: CounterSet<OAuthCounters>) {
        self.clock = clock
        self.counters = counters
    }

    // MARK: Issuing

    /// Adds a code for the authorization. It is redeemed once, with the verifier of the challenge.
    func addCode(
        for authorization: OAuthAuthorization, redirectURI: String, challenge: String, key: String?,
        lifetime: Duration
    ) -> String {
        let code = RandomToken.makeBearer()
        let expires = clock.now + lifetime
        state.withLock {
            $0.codes[SecretKey(code)] = Code(
                authorization: authorization, redirectURI: redirectURI, challenge: challenge, key: key, expires: expires
            )
        }
        return code
    }

    /// The first tokens of an authorization.
    func begin(_ authorization: OAuthAuthorization, rule: OAuthRule, withRefreshToken: Bool) -> IssuedTokens {
        let now = clock.now
        return state.withLock {
            Self.begin(authorization, in: &$0, now: now, rule: rule, withRefreshToken: withRefreshToken).tokens
        }
    }

    /// Tokens for a code. A repeated code ends the tokens that it gave.
    func redeem(
        code: String, client: OAuthClient, issuer: String, redirectURI: String?, verifier: String?,
        key proven: String?, rule: OAuthRule, withRefreshToken: Bool
    ) throws -> (IssuedTokens, OAuthAuthorization) {
        let now = clock.now
        return try state.withLock { state in
            let key = SecretKey(code)
            guard var found = state.codes[key] else { throw OAuthFailure.invalidGrant("unknown code") }
            if found.isUsed {
                counters.count(\.codeReplays)
                if let family = found.family { state.families[family] = nil }
                throw OAuthFailure.invalidGrant("the code was used before")
            }
            guard found.authorization.client == client.id else {
                throw OAuthFailure.invalidGrant("another client's code")
            }
            found.isUsed = true
            state.codes[key] = found
            guard found.authorization.issuer == issuer else { throw OAuthFailure.invalidGrant("another issuer's code") }
            guard found.expires > now else { throw OAuthFailure.invalidGrant("the code has expired") }
            guard found.redirectURI == redirectURI else { throw OAuthFailure.invalidGrant("another redirect_uri") }
            guard let verifier, Self.matches(verifier, found.challenge) else {
                throw OAuthFailure.invalidGrant("wrong code_verifier")
            }
            if let key = found.key, key != proven { throw OAuthFailure.invalidGrant("the code is for another key") }
            let (tokens, family) = Self.begin(
                found.authorization, in: &state, now: now, rule: rule, withRefreshToken: withRefreshToken)
            state.codes[key]?.family = family
            return (tokens, found.authorization)
        }
    }

    /// Tokens for a refresh token. A repeated use of a rotated one ends its family.
    ///
    /// - Parameters:
    ///   - scopes: the requested scopes, which must have been allowed; nil: all of them
    ///   - rotates: whether a new refresh token replaces the old one
    func refresh(
        _ token: String, client: OAuthClient, issuer: String, scopes: [String]?, key proven: String?, rotates: Bool,
        rule: OAuthRule
    ) throws -> (IssuedTokens, OAuthAuthorization) {
        let now = clock.now
        return try state.withLock { state in
            let key = SecretKey(token)
            guard let found = state.refresh[key], let authorization = state.families[found.family] else {
                throw OAuthFailure.invalidGrant("unknown or revoked refresh token")
            }
            guard authorization.client == client.id, authorization.issuer == issuer else {
                throw OAuthFailure.invalidGrant("another client's or issuer's refresh token")
            }
            if found.isUsed {
                counters.count(\.reuseDetected)
                state.families[found.family] = nil
                throw OAuthFailure.invalidGrant("the refresh token was used before: all its tokens are revoked")
            }
            guard found.expires > now else { throw OAuthFailure.invalidGrant("the refresh token has expired") }
            if let bound = found.key, bound != proven {
                throw OAuthFailure.invalidGrant("the refresh token is bound to another key")
            }
            guard Set(scopes ?? []).isSubset(of: authorization.scopes) else {
                throw OAuthFailure("invalid_scope", "more than was allowed")
            }
            state.refresh[key]?.isUsed = rotates
            let tokens = Self.issue(
                found.family, scopes: scopes ?? authorization.scopes, in: &state, now: now, rule: rule,
                withRefreshToken: rotates)
            return (tokens, authorization)
        }
    }

    private static func begin(
        _ authorization: OAuthAuthorization, in state: inout State, now: Duration, rule: OAuthRule,
        withRefreshToken: Bool
    ) -> (tokens: IssuedTokens, family: Int) {
        state.nextFamily += 1
        let family = state.nextFamily
        state.families[family] = authorization
        let tokens = issue(
            family, scopes: authorization.scopes, in: &state, now: now, rule: rule, withRefreshToken: withRefreshToken)
        return (tokens, family)
    }

    private static func issue(
        _ family: Int, scopes: [String], in state: inout State, now: Duration, rule: OAuthRule, withRefreshToken: Bool
    ) -> IssuedTokens {
        if state.access.count >= capacity { state.access = state.access.filter { $0.value.expires > now } }
        let access = RandomToken.makeBearer()
        state.access[SecretKey(access)] = Access(
            family: family, scopes: scopes, issued: now, expires: now + rule.accessTokenLifetime)
        let refresh = withRefreshToken ? RandomToken.makeBearer() : nil
        if let refresh {
            state.refresh[SecretKey(refresh)] = Refresh(
                family: family, issued: now, expires: now + rule.refreshTokenLifetime)
        }
        return IssuedTokens(
            accessToken: access, refreshToken: refresh, scopes: scopes, lifetime: rule.accessTokenLifetime)
    }

    /// Binds an access token to a certificate.
    func bind(_ token: String, to certificate: String) {
        state.withLock { $0.access[SecretKey(token)]?.certificate = certificate }
    }

    /// Binds tokens to a key; refresh tokens of public clients, too.
    func bind(_ tokens: IssuedTokens, toKey key: String, ofPublicClient isPublic: Bool) {
        state.withLock { state in
            state.access[SecretKey(tokens.accessToken)]?.key = key
            if isPublic, let refresh = tokens.refreshToken { state.refresh[SecretKey(refresh)]?.key = key }
        }
    }

    private static func matches(_ verifier: String, _ challenge: String) -> Bool {
        guard (43...128).contains(verifier.utf8.count) else { return false }
        return UserDirectory.equal(Base64URL.string(SHA256.hash(data: Array(verifier.utf8))), challenge)
    }

    // MARK: Look-ups

    /// The authorization behind a valid access token.
    func access(_ token: String) -> AccessTokenInfo? {
        let now = clock.now
        return state.withLock { state in
            guard let found = state.access[SecretKey(token)], found.expires > now,
                let authorization = state.families[found.family]
            else { return nil }
            return AccessTokenInfo(
                authorization: authorization, scopes: found.scopes, issued: found.issued, expires: found.expires,
                isRefreshToken: false, certificate: found.certificate, key: found.key)
        }
    }

    /// The authorization behind a valid refresh token.
    func refreshInfo(_ token: String) -> AccessTokenInfo? {
        let now = clock.now
        return state.withLock { state in
            guard let found = state.refresh[SecretKey(token)], !found.isUsed, found.expires > now,
                let authorization = state.families[found.family]
            else { return nil }
            return AccessTokenInfo(
                authorization: authorization, scopes: authorization.scopes, issued: found.issued,
                expires: found.expires, isRefreshToken: true)
        }
    }

    // MARK: Ending

    /// Ends a token of the client: an access token alone, a refresh token with its family (RFC 7009, 2.1).
    ///
    /// - Returns: whether the token was valid
    func revoke(_ token: String, client: OAuthClient) throws -> Bool {
        try state.withLock { state in
            let key = SecretKey(token)
            guard let family = state.access[key]?.family ?? state.refresh[key]?.family,
                let authorization = state.families[family]
            else { return false }
            guard authorization.client == client.id else {
                throw OAuthFailure("unauthorized_client", "another client's token")
            }
            if state.access.removeValue(forKey: key) == nil { state.families[family] = nil }
            return true
        }
    }

    /// Ends all access tokens. Refresh tokens stay.
    func expireAccessTokens() {
        state.withLock { $0.access = [:] }
    }

    /// Ends all families of the user. Returns their number.
    func revokeAll(of user: String) -> Int {
        state.withLock { state in
            let before = state.families.count
            state.families = state.families.filter { $0.value.user != user }
            return before - state.families.count
        }
    }

    func removeAll() {
        state.withLock { $0 = State() }
    }
}

/// An authorization that a user has given to a client at an issuer.
struct OAuthAuthorization: Sendable {
    let client: String
    /// The user; nil if the client acts for itself.
    let user: String?
    let scopes: [String]
    let issuer: String
    var nonce: String?
    /// The time of the user's login.
    let authenticated: Date
    /// The class of the user's login.
    var acr: String?
    /// The client or user that acts for the user (RFC 8693, 4.1).
    var actor: String?
    /// The resources that the tokens are for (RFC 8707).
    var resources: [String] = []
}

/// Newly issued tokens of the authorization server.
public struct IssuedTokens: Sendable, Hashable {
    /// The access token for `/api/…`.
    public let accessToken: String
    /// The refresh token; nil if the client may not refresh.
    public let refreshToken: String?
    /// The scopes of the access token.
    public let scopes: [String]
    /// The lifetime of the access token.
    public let lifetime: Duration
}
