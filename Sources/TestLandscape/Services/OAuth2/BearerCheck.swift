import HTTPTypes
import HummingbirdCore

/// The access token in a request's `Authorization` field (RFC 6750, 2.1; RFC 9449, 7.1). Other places do not count.
enum BearerCheck {
    case absent
    /// The proof for a bound token is refused, or needs the present nonce.
    case unproven(OAuthFailure)
    case malformed
    case invalid
    case valid(AccessTokenInfo)

    init(_ exchange: ServerExchange) async throws {
        let fields = exchange.incoming.fields.filter { $0.name.lowercased() == "authorization" }
        let value = fields.first?.value ?? ""
        let scheme = value.prefix { $0 != " " }.lowercased()
        guard scheme == "bearer" || scheme == "dpop" else {
            self = .absent
            return
        }
        let token = value.dropFirst(scheme.count).drop { $0 == " " }
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
        if case .valid(let info) = self { self = Self.proven(info, scheme, String(token), exchange) }
        if case .valid = self {
            exchange.oauth.counters.count(\.bearerAccepted)
        } else {
            exchange.oauth.counters.count(\.bearerRefused)
        }
    }

    /// Checks that a bound token comes with a proof, and any other one as a bearer token.
    private static func proven(
        _ info: AccessTokenInfo, _ scheme: String, _ token: String, _ exchange: ServerExchange
    ) -> BearerCheck {
        let server = exchange.oauth
        guard let key = info.key else { return scheme == "bearer" ? .valid(info) : .invalid }
        guard scheme == "dpop" else {
            server.counters.count(\.boundTokensAsBearer)
            return .invalid
        }
        do {
            if server.rule.floodsWithNonces {
                server.proofs.rotateNonces()
                throw OAuthFailure("use_dpop_nonce", "another one, please")
            }
            let found = try server.proofs.thumbprint(
                exchange, .resource, token: token, demandsNonce: server.rule.demandsNonces)
            return found == key
                ? .valid(info) : .unproven(OAuthFailure("invalid_dpop_proof", "no proof, or another key"))
        } catch {
            let failure = error as? OAuthFailure ?? OAuthFailure.invalidRequest("\(error)")
            server.counters.count(failure.code == "use_dpop_nonce" ? \.noncesDemanded : \.refusedProofs)
            return .unproven(failure)
        }
    }

    /// Adds the nonce for the next proof to an answer.
    static func addingNonce(_ response: Response, _ exchange: ServerExchange) -> Response {
        let server = exchange.oauth
        guard server.rule.demandsNonces || server.rule.floodsWithNonces, exchange.field("DPoP") != nil else {
            return response
        }
        if server.rule.rotatesNonces { server.proofs.rotateNonces() }
        return response.adding(.dpopNonce, server.proofs.nonce(of: .resource))
    }

    /// The refusal of RFC 6750, 3; nil if the token is valid for the scope.
    func refusal(realm: String, scope: String?, extra: String = "") -> Response? {
        switch self {
        case .absent: Self.refusal(.unauthorized, realm, extra)
        case .unproven(let failure):
            Self.refusal(.unauthorized, realm, ", error=\"\(failure.code)\", algs=\"ES256\"" + extra, scheme: "DPoP")
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

    private static func refusal(
        _ status: HTTPResponse.Status, _ realm: String, _ rest: String, scheme: String = "Bearer"
    ) -> Response {
        Response.text("A token, please.\n", status: status)
            .adding(.wwwAuthenticate, "\(scheme) realm=\(QuotedString.make(realm))\(rest)")
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
    /// The thumbprint of the key to which the token is bound (RFC 9449, 6).
    var key: String?
}

extension HTTPField.Name {
    /// The nonce for the next proofs (RFC 9449, 8).
    // swift-format-ignore: NeverForceUnwrap
    static let dpopNonce = HTTPField.Name("DPoP-Nonce")!  // a literal token
}
