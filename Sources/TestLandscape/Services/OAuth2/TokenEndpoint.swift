import Foundation
import HTTPTypes
import HummingbirdCore

/// `/oauth2/token` (RFC 6749, 3.2), with the injected faults.
struct TokenEndpoint {
    /// The gate that holds token requests at any path.
    static let gateName = "oauth2:token"

    let exchange: ServerExchange
    private var server: OAuthServer { exchange.oauth }

    init(exchange: ServerExchange) {
        self.exchange = exchange
    }

    func respond() async throws -> Response {
        server.counters.beginTokenRequest()
        defer { server.counters.endTokenRequest() }
        await exchange.wait(at: Self.gateName, delay: server.faults.delay)
        if exchange.connection.isGone { throw OAuthFailure.invalidRequest("the client has gone") }
        do {
            let form = try await BackChannel.form(of: exchange)
            if let fault = server.faults.takeToken(grant: Self.grant(of: form), replacing: true) {
                server.counters.count(\.injectedFaults)
                return try TokenFaultAnswer.replacement(fault, exchange)
            }
            let client = try await BackChannel.client(of: exchange, form)
            let certificate = try await exchange.connection.clientCertificateThumbprint()
            let key = try provenKey(client)
            var response = try grant(form, to: client, certificate, key)
            if key != nil, server.rule.demandsNonces {
                if server.rule.rotatesNonces { server.proofs.rotateNonces() }
                response = response.adding(.dpopNonce, server.proofs.nonce(of: .authorization))
            }
            return response
        } catch let failure as OAuthFailure {
            return try BackChannel.answer(failure, exchange)
        }
    }

    private static func grant(of form: FormFields) -> OAuthGrantType? {
        form["grant_type"].flatMap(OAuthGrantType.init(rawValue:))
    }

    /// The thumbprint of the key that the request proves to have; nil if the client uses no proofs.
    private func provenKey(_ client: OAuthClient) throws -> String? {
        if server.rule.floodsWithNonces, exchange.field("DPoP") != nil {
            server.proofs.rotateNonces()
            throw OAuthFailure("use_dpop_nonce", "another one, please")
        }
        let key = try server.proofs.thumbprint(
            exchange, .authorization, token: nil, demandsNonce: server.rule.demandsNonces)
        if key == nil, client.usesDPoP { throw OAuthFailure("invalid_dpop_proof", "the proof is missing") }
        return key
    }

    /// - Parameters:
    ///   - certificate: the thumbprint of the client's certificate
    ///   - key: the thumbprint of the key of the request's proof
    private func grant(
        _ form: FormFields, to client: OAuthClient, _ certificate: String?, _ key: String?
    ) throws -> Response {
        guard let name = form["grant_type"] else { throw OAuthFailure.invalidRequest("grant_type is missing") }
        guard let grant = OAuthGrantType(rawValue: name) else {
            throw OAuthFailure("unsupported_grant_type", "there is no such grant_type")
        }
        guard client.grants.contains(grant) else {
            throw OAuthFailure("unauthorized_client", "not with this client")
        }
        let fault = server.faults.takeToken(grant: grant, replacing: false)
        if fault != nil { server.counters.count(\.injectedFaults) }
        let (tokens, authorization) = try issue(grant, form, client, key, fault)
        if let key { server.tokens.bind(tokens, toKey: key, ofPublicClient: client.isPublic) }
        if client.bindsTokens, let certificate { server.tokens.bind(tokens.accessToken, to: certificate) }
        server.counters.countGrant(grant)
        let answer = TokenAnswer(
            tokens: tokens, authorization: authorization,
            // A refreshed ID token has no nonce (OpenID Connect Core, 12.2).
            nonce: grant == .authorizationCode ? authorization.nonce : nil,
            isBound: key != nil, isExchange: grant == .tokenExchange)
        return try answer.response(exchange, fault: fault)
    }

    private func issue(
        _ grant: OAuthGrantType, _ form: FormFields, _ client: OAuthClient, _ key: String?, _ fault: OAuthTokenFault?
    ) throws -> (IssuedTokens, OAuthAuthorization) {
        let withRefreshToken = client.grants.contains(.refreshToken) && fault != .missingRefreshToken
        switch grant {
        case .authorizationCode:
            guard let code = form["code"] else { throw OAuthFailure.invalidRequest("code is missing") }
            return try server.tokens.redeem(
                code: code, client: client, issuer: exchange.issuer, redirectURI: form["redirect_uri"],
                verifier: form["code_verifier"], key: key, rule: server.rule, withRefreshToken: withRefreshToken)
        case .refreshToken:
            guard let token = form["refresh_token"] else {
                throw OAuthFailure.invalidRequest("refresh_token is missing")
            }
            return try server.tokens.refresh(
                token, client: client, issuer: exchange.issuer, scopes: form.words("scope"),
                key: key, rotates: client.rotatesRefreshTokens && withRefreshToken, rule: server.rule)
        case .password:
            return begin(try passwordAuthorization(form, client), withRefreshToken)
        case .clientCredentials:
            let scopes = try server.scopes(form.words("scope"), for: client)
            // RFC 6749, 4.4.3: no refresh token.
            return begin(try authorization(client, user: nil, scopes: scopes, form), false)
        case .jwtBearer, .samlBearer: return begin(try assertedAuthorization(grant, form, client), withRefreshToken)
        case .tokenExchange: return begin(try exchangedAuthorization(form, client), withRefreshToken)
        case .deviceCode:
            guard let code = form["device_code"] else { throw OAuthFailure.invalidRequest("device_code is missing") }
            return begin(try server.devices.poll(code, client: client, issuer: exchange.issuer), withRefreshToken)
        }
    }

    private func begin(
        _ authorization: OAuthAuthorization, _ withRefreshToken: Bool
    ) -> (IssuedTokens, OAuthAuthorization) {
        (server.tokens.begin(authorization, rule: server.rule, withRefreshToken: withRefreshToken), authorization)
    }

    private func authorization(
        _ client: OAuthClient, user: String?, scopes: [String], actor: String? = nil, _ form: FormFields
    ) throws -> OAuthAuthorization {
        OAuthAuthorization(
            client: client.id, user: user, scopes: scopes, issuer: exchange.issuer, authenticated: server.clock.date,
            actor: actor, resources: try OAuthRequest.resources(form))
    }

    /// The authorization of a person whom an assertion names.
    private func assertedAuthorization(
        _ grant: OAuthGrantType, _ form: FormFields, _ client: OAuthClient
    ) throws -> OAuthAuthorization {
        guard let assertion = form["assertion"] else { throw OAuthFailure.invalidRequest("assertion is missing") }
        let name =
            grant == .samlBearer
            ? try server.persons.user(
                ofSAML: assertion, issuer: exchange.issuer, tokenEndpoint: exchange.issuer + "/token")
            : try subject(ofToken: assertion)
        guard let user = exchange.shared.users.user(named: name, in: "oauth2") else {
            throw OAuthFailure.invalidGrant("the assertion is about somebody unknown")
        }
        return try authorization(
            client, user: user.name, scopes: server.scopes(form.words("scope"), for: client), form)
    }

    private func subject(ofToken assertion: String) throws -> String {
        do {
            return try server.assertions.signer(of: assertion, issuer: exchange.issuer, clients: server.clients).subject
        } catch is OAuthFailure {
            throw OAuthFailure.invalidGrant("the assertion is unknown, expired, used before or for another server")
        }
    }

    /// The authorization of a token exchange: impersonation, or delegation with an actor (RFC 8693, 1.1).
    private func exchangedAuthorization(_ form: FormFields, _ client: OAuthClient) throws -> OAuthAuthorization {
        func token(_ name: String) throws -> AccessTokenInfo? {
            guard let text = form[name] else { return nil }
            guard form["\(name)_type"] == "urn:ietf:params:oauth:token-type:access_token",
                let found = server.tokens.access(text)
            else { throw OAuthFailure.invalidRequest("the \(name) is invalid, or of another type") }
            return found
        }
        guard let subject = try token("subject_token") else {
            throw OAuthFailure.invalidRequest("subject_token is missing")
        }
        let audiences = form.all("audience")
        guard audiences.allSatisfy({ server.clients[$0] != nil || $0 == "orders" }) else {
            throw OAuthFailure("invalid_target", "there is no such audience")
        }
        let actor = try token("actor_token")?.authorization
        let scopes = try form.words("scope").map { try server.scopes($0, for: client) } ?? subject.scopes
        guard Set(scopes).isSubset(of: subject.scopes) else { throw OAuthFailure("invalid_scope", "more than before") }
        return try authorization(
            client, user: subject.authorization.user, scopes: scopes, actor: actor.map { $0.user ?? $0.client }, form)
    }

    private func passwordAuthorization(_ form: FormFields, _ client: OAuthClient) throws -> OAuthAuthorization {
        guard let name = form["username"], let password = form["password"] else {
            throw OAuthFailure.invalidRequest("username or password is missing")
        }
        let scopes = try server.scopes(form.words("scope"), for: client)
        guard let user = exchange.shared.users.user(named: name, in: "oauth2"),
            UserDirectory.equal(user.password, password)
        else {
            server.counters.count(\.failedLogins)
            throw OAuthFailure.invalidGrant("unknown user or wrong password")
        }
        return try authorization(client, user: user.name, scopes: scopes, form)
    }
}
