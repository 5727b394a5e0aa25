import HTTPTypes
import HummingbirdCore

/// The documents for discovery.
enum OAuthMetadata {
    /// The metadata of RFC 8414 and OpenID Connect Discovery in one.
    static func server(_ exchange: ServerExchange) throws -> Response {
        let base = exchange.issuer
        let alias = exchange.shared.addresses.base(of: .mutual) + "/oauth2/of/\(exchange.origin.rawValue)"
        return try .json(
            JSONValue.object([
                "issuer": .text(exchange.oauth.rule.metadataIssuer ?? base),
                "authorization_endpoint": .text(base + "/authorize"),
                "token_endpoint": .text(base + "/token"),
                "device_authorization_endpoint": .text(base + "/device_authorization"),
                "revocation_endpoint": .text(base + "/revoke"),
                "pushed_authorization_request_endpoint": .text(base + "/par"),
                "require_pushed_authorization_requests": .flag(exchange.oauth.rule.demandsPushedRequests),
                "end_session_endpoint": .text(base + "/logout"),
                "dpop_signing_alg_values_supported": .texts(["ES256"]),
                "introspection_endpoint": .text(base + "/introspect"),
                "userinfo_endpoint": .text(base + "/userinfo"),
                "jwks_uri": .text(base + "/jwks"),
                "scopes_supported": .texts(OAuthClient.allScopes),
                "response_types_supported": .texts(["code"]),
                "response_modes_supported": .texts(["query"]),
                "grant_types_supported": .texts(OAuthGrantType.allCases.map(\.rawValue)),
                "token_endpoint_auth_methods_supported": .texts([
                    "none", "client_secret_basic", "client_secret_post", "tls_client_auth", "private_key_jwt",
                ]),
                "token_endpoint_auth_signing_alg_values_supported": .texts(["ES256", "RS256", "PS256", "EdDSA"]),
                "tls_client_certificate_bound_access_tokens": .flag(true),
                "mtls_endpoint_aliases": .object([
                    "token_endpoint": .text(alias + "/token"),
                    "device_authorization_endpoint": .text(alias + "/device_authorization"),
                    "pushed_authorization_request_endpoint": .text(alias + "/par"),
                    "revocation_endpoint": .text(alias + "/revoke"),
                    "introspection_endpoint": .text(alias + "/introspect"),
                ]),
                "code_challenge_methods_supported": .texts(["S256"]),
                "subject_types_supported": .texts(["public"]),
                "id_token_signing_alg_values_supported": .texts(["ES256"]),
                "prompt_values_supported": .texts(["none", "login", "consent"]),
                "authorization_response_iss_parameter_supported": .flag(true),
            ]))
    }

    /// The metadata of RFC 9728.
    static func resource(_ exchange: ServerExchange) throws -> Response {
        try .json(
            JSONValue.object([
                "resource": .text(exchange.shared.addresses.base(of: exchange.origin) + "/api/with-metadata"),
                "authorization_servers": .texts([exchange.issuer]),
                "scopes_supported": .texts(["read", "write", "admin"]),
                "bearer_methods_supported": .texts(["header"]),
            ]))
    }
}
