import HTTPTypes
import HummingbirdCore

/// The bearer token in a request's `Authorization` field (RFC 6750, 2.1). Other places do not count.
enum BearerCheck {
    case absent
    case malformed
    case invalid
    case valid(AccessTokenInfo)

    init(_ exchange: ServerExchange) async throws {
        let fields = exchange.incoming.fields.filter { $0.name.lowercased() == "authorization" }
        let value = fields.first?.value ?? ""
        guard value.prefix(6).lowercased() == "bearer", value.count == 6 || value.dropFirst(6).first == " " else {
            self = .absent
            return
        }
        let token = value.dropFirst(6).drop { $0 == " " }
        if fields.count > 1 || token.isEmpty || !token.utf8.allSatisfy(Self.isTokenByte) {
            self = .malformed
        } else {
            self = exchange.oauth.tokens.access(String(token)).map { .valid($0) } ?? .invalid
        }
        if case .valid(let info) = self, let bound = info.certificate,
            try await exchange.connection.clientCertificateThumbprint() != bound
        {
            self = .invalid
        }
        if case .valid = self {
            exchange.oauth.counters.count(\.bearerAccepted)
        } else {
            exchange.oauth.counters.count(\.bearerRefused)
        }
    }

    /// The refusal of RFC 6750, 3; nil if the token is valid for the scope.
    func refusal(realm: String, scope: String?, extra: String = "") -> Response? {
        switch self {
        case .absent: Self.refusal(.unauthorized, realm, extra)
        case .malformed:
            Self.refusal(.badRequest, realm, #", error="invalid_request", error_description="not a token""# + extra)
        case .invalid:
            Self.refusal(
                .unauthorized, realm,
                #", error="invalid_token", error_description="unknown, expired or revoked""# + extra)
        case .valid(let info):
            if let scope, !info.scopes.contains(scope) {
                Self.refusal(.forbidden, realm, #", error="insufficient_scope", scope="\#(scope)""# + extra)
            } else {
                nil
            }
        }
    }

    private static func refusal(_ status: HTTPResponse.Status, _ realm: String, _ rest: String) -> Response {
        Response.text("A token, please.\n", status: status)
            .adding(.wwwAuthenticate, "Bearer realm=\(QuotedString.make(realm))\(rest)")
    }

    /// Whether a byte may occur in a token (RFC 6750, 2.1: `b64token`).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        let scalar = UnicodeScalar(byte)
        return byte < 0x80 && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            || "-._~+/=".utf8.contains(byte)
    }
}

/// A valid token as resource servers see it.
struct AccessTokenInfo: Sendable {
    let authorization: OAuthAuthorization
    let scopes: [String]
    let issued: Duration
    let expires: Duration
    let isRefreshToken: Bool
    /// The thumbprint of the certificate to which the token is bound (RFC 8705, 3).
    var certificate: String?
}
