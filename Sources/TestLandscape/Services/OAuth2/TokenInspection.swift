import Foundation
import HTTPTypes
import HummingbirdCore

/// Revocation (RFC 7009) and introspection (RFC 7662).
enum TokenInspection {
    /// Revokes a token. Answers 200 without a body, even for an unknown token.
    static func revoke(_ exchange: ServerExchange, _ form: FormFields, _ client: OAuthClient) throws -> Response {
        guard let token = form["token"] else { throw OAuthFailure.invalidRequest("token is missing") }
        if try exchange.oauth.tokens.revoke(token, client: client) { exchange.oauth.counters.count(\.revocations) }
        return Response(status: .ok)
    }

    /// Ends the sessions of the person whom an ID token names (OpenID Connect RP-Initiated Logout, 2).
    static func endSession(_ exchange: ServerExchange) async throws -> Response {
        let form = exchange.method == "POST" ? try await exchange.form() : FormFields(queryOf: exchange)
        guard let hint = form?["id_token_hint"], let user = exchange.oauth.signer.subject(of: hint) else {
            return OAuthPage.problem("Whose session?")
        }
        exchange.oauth.browsers.end(user: user)
        exchange.oauth.counters.count(\.endedSessions)
        return OAuthPage.notice("You are logged out.")
    }

    /// Introspects a token, for clients that authenticate only.
    static func introspect(_ exchange: ServerExchange, _ form: FormFields, _ client: OAuthClient) throws -> Response {
        guard !client.isPublic else { throw OAuthFailure.invalidClient }
        guard let token = form["token"] else { throw OAuthFailure.invalidRequest("token is missing") }
        let tokens = exchange.oauth.tokens
        guard let info = tokens.access(token) ?? tokens.refreshInfo(token) else {
            return try .json(["active": false])
        }
        let clock = exchange.shared.clock
        func seconds(_ time: Duration) -> JSONValue {
            .number(Int(clock.date.timeIntervalSince1970 + (time - clock.now) / .seconds(1)))
        }
        var members: [String: JSONValue] = [
            "active": .flag(true), "client_id": .text(info.authorization.client),
            "scope": .text(info.scopes.joined(separator: " ")), "iss": .text(info.authorization.issuer),
            "iat": seconds(info.issued), "exp": seconds(info.expires),
        ]
        if !info.isRefreshToken { members["token_type"] = .text(info.key == nil ? "Bearer" : "DPoP") }
        if let certificate = info.certificate { members["cnf"] = .object(["x5t#S256": .text(certificate)]) }
        if let key = info.key { members["cnf"] = .object(["jkt": .text(key)]) }
        if let user = info.authorization.user {
            members["username"] = .text(user)
            members["sub"] = .text(user)
        }
        return try .json(JSONValue.object(members), headers: [.cacheControl: "no-store"])
    }
}
