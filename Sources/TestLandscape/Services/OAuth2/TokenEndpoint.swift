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
            return try grant(form, to: client, certificate)
        } catch let failure as OAuthFailure {
            return try BackChannel.answer(failure, exchange)
        }
    }

    private static func grant(of form: FormFields) -> OAuthGrantType? {
        form["grant_type"].flatMap(OAuthGrantType.init(rawValue:))
    }

    /// - Parameter certificate: the thumbprint of the client's certificate
    private func grant(_ form: FormFields, to client: OAuthClient, _ certificate: String?) throws -> Response {
        guard let name = form["grant_type"] else { throw OAuthFailure.invalidRequest("grant_type is missing") }
        guard let grant = OAuthGrantType(rawValue: name) else {
            throw OAuthFailure("unsupported_grant_type", "there is no such grant_type")
        }
        guard client.grants.contains(grant) else {
            throw OAuthFailure("unauthorized_client", "not with this client")
        }
        let fault = server.faults.takeToken(grant: grant, replacing: false)
        if fault != nil { server.counters.count(\.injectedFaults) }
        let (tokens, authorization) = try issue(grant, form, client, fault)
        if client.bindsTokens, let certificate { server.tokens.bind(tokens.accessToken, to: certificate) }
        server.counters.countGrant(grant)
        let answer = TokenAnswer(
            tokens: tokens, authorization: authorization,
            // A refreshed ID token has no nonce (OpenID Connect Core, 12.2).
            nonce: grant == .authorizationCode ? authorization.nonce : nil)
        return try answer.response(exchange, fault: fault)
    }

    private func issue(
        _ grant: OAuthGrantType, _ form: FormFields, _ client: OAuthClient, _ fault: OAuthTokenFault?
    ) throws -> (IssuedTokens, OAuthAuthorization) {
        let withRefreshToken = client.grants.contains(.refreshToken) && fault != .missingRefreshToken
        switch grant {
        case .authorizationCode:
            guard let code = form["code"] else { throw OAuthFailure.invalidRequest("code is missing") }
            return try server.tokens.redeem(
                code: code, client: client, issuer: exchange.issuer, redirectURI: form["redirect_uri"],
                verifier: form["code_verifier"], rule: server.rule, withRefreshToken: withRefreshToken)
        case .refreshToken:
            guard let token = form["refresh_token"] else {
                throw OAuthFailure.invalidRequest("refresh_token is missing")
            }
            return try server.tokens.refresh(
                token, client: client, issuer: exchange.issuer, scopes: form.words("scope"),
                rotates: client.rotatesRefreshTokens && withRefreshToken, rule: server.rule)
        case .password:
            return begin(try passwordAuthorization(form, client), withRefreshToken)
        case .clientCredentials:
            let scopes = try server.scopes(form.words("scope"), for: client)
            // RFC 6749, 4.4.3: no refresh token.
            return begin(authorization(client, user: nil, scopes: scopes), false)
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

    private func authorization(_ client: OAuthClient, user: String?, scopes: [String]) -> OAuthAuthorization {
        OAuthAuthorization(
            client: client.id, user: user, scopes: scopes, issuer: exchange.issuer, authenticated: server.clock.date)
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
        return authorization(client, user: user.name, scopes: scopes)
    }
}
