import HTTPTypes
import HummingbirdCore
import NIOCore

/// The answer of the token endpoint (RFC 6749, 5.1), right or with a fault.
struct TokenAnswer {
    let tokens: IssuedTokens
    let authorization: OAuthAuthorization
    let nonce: String?
    /// Whether the access token is bound to a key.
    var isBound = false
    /// Whether the answer is one of a token exchange (RFC 8693, 2.2).
    var isExchange = false

    func response(_ exchange: ServerExchange, fault: OAuthTokenFault?) throws -> Response {
        if fault == .lostAnswer { return exchange.answer(WireScript([.close])) }
        var members = try members(exchange, fault)
        Self.alter(&members, fault)
        var bytes = try JSONBody.bytes(fault == .notAnObject ? JSONValue.list([.object(members)]) : .object(members))
        if fault == .malformedJSON { bytes.removeLast(bytes.count / 3) }
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private func members(_ exchange: ServerExchange, _ fault: OAuthTokenFault?) throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "access_token": .text(tokens.accessToken), "token_type": .text(isBound ? "DPoP" : "Bearer"),
            "expires_in": .number(Int(tokens.lifetime.components.seconds)),
            "scope": .text(tokens.scopes.joined(separator: " ")),
        ]
        if isExchange { members["issued_token_type"] = .text("urn:ietf:params:oauth:token-type:access_token") }
        members["refresh_token"] = tokens.refreshToken.map { .text($0) }
        if authorization.user != nil, tokens.scopes.contains("openid") {
            members["id_token"] = .text(
                try exchange.oauth.idToken(
                    for: authorization, accessToken: tokens.accessToken, nonce: nonce, fault: fault))
        }
        return members
    }

    private static func alter(_ members: inout [String: JSONValue], _ fault: OAuthTokenFault?) {
        switch fault {
        case .missingAccessToken: members["access_token"] = nil
        case .numericAccessToken: members["access_token"] = .number(12_345)
        case .missingExpiresIn: members["expires_in"] = nil
        case .textExpiresIn: members["expires_in"] = .text("soon")
        case .quotedExpiresIn:
            if case .number(let seconds) = members["expires_in"] {
                members["expires_in"] = .text(String(seconds))
            }
        case .negativeExpiresIn: members["expires_in"] = .number(-1)
        case .hugeExpiresIn: members["expires_in"] = .float(1e20)
        case .missingTokenType: members["token_type"] = nil
        case .bearerTokenType: members["token_type"] = .text("bearer")
        case .unknownTokenType: members["token_type"] = .text("mac")
        case .missingRefreshToken: members["refresh_token"] = nil
        case .missingIDToken: members["id_token"] = nil
        default: break
        }
    }
}
