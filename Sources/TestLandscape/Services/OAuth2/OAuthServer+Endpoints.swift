import HTTPTypes
import HummingbirdCore

/// `/oauth2/…`: the authorization server, whose issuer is the origin's base URL + `/oauth2`.
extension OAuthServer {
    func register(in table: inout EndpointTable) {
        table.add("oauth2") { exchange in
            switch exchange.oauthPath {
            case "authorize", "api/v1/authorize": return try await AuthorizeEndpoint(exchange: exchange).respond()
            case "token", "api/v1/token": return try await TokenEndpoint(exchange: exchange).respond()
            case "device_authorization": return try await BackChannel.respond(exchange, DeviceEndpoint.begin)
            case "device": return try await DeviceEndpoint(exchange: exchange).respond()
            case "par": return try await BackChannel.respond(exchange, PushedRequests.push)
            case "logout": return try await TokenInspection.endSession(exchange)
            case "revoke": return try await BackChannel.respond(exchange, TokenInspection.revoke)
            case "introspect": return try await BackChannel.respond(exchange, TokenInspection.introspect)
            case "jwks": return try .json(exchange.oauth.signer.keySet)
            case "userinfo": return try await BearerEndpoints.userInfo(exchange)
            case ".well-known/openid-configuration": return try OAuthMetadata.server(exchange)
            default: return .text("there is no such OAuth2 endpoint\n", status: .notFound)
            }
        }
        table.add(".well-known") { exchange in
            switch exchange.segments.dropFirst().joined(separator: "/") {
            case "oauth-authorization-server/oauth2": return try OAuthMetadata.server(exchange)
            case "oauth-protected-resource/api/with-metadata": return try OAuthMetadata.resource(exchange)
            default: return nil
            }
        }
    }

    var contents: [ContentsEntry] {
        [
            ContentsEntry(
                "/.well-known/oauth-authorization-server/oauth2",
                "metadata; /oauth2/.well-known/openid-configuration too"),
            ContentsEntry(
                "/oauth2/authorize", "code with PKCE S256: a login form, a cookie; /oauth2/api/v1/authorize too"),
            ContentsEntry("/oauth2/token", "POST: all grants, refresh with rotation; /oauth2/api/v1/token too"),
            ContentsEntry(
                "/oauth2/device_authorization, /oauth2/device", "POST: codes for a device; the page for people"),
            ContentsEntry(
                "/oauth2/of/ORIGIN/token",
                "the same for another origin's issuer, for clients with a certificate (mutual)"),
            ContentsEntry("/oauth2/revoke, introspect, jwks, userinfo", "RFC 7009, RFC 7662, keys, OpenID's claims"),
        ]
    }
}
