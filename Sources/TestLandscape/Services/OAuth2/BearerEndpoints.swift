import HTTPTypes
import HummingbirdCore

/// `/api/…`, `/sap/…`, `/sap400/…`: resources for a bearer token of any origin.
struct BearerEndpoints: Service {
    private struct Answer: Encodable {
        let authenticated = true
        let user: String?
        let client: String
        let scopes: [String]
        let issuer: String
        let method: String
        let path: String
        let actor: String?
        let resources: [String]?
        let acr: String?
        let isBound: Bool?

        init(_ info: AccessTokenInfo, _ exchange: ServerExchange) {
            user = info.authorization.user
            client = info.authorization.client
            scopes = info.scopes
            issuer = info.authorization.issuer
            method = exchange.method
            path = exchange.path
            actor = info.authorization.actor
            resources = info.authorization.resources.isEmpty ? nil : info.authorization.resources
            acr = info.authorization.acr
            isBound = info.key == nil ? nil : true
        }

        private enum CodingKeys: CodingKey {
            case authenticated, user, client, scopes, issuer, method, path, actor, resources, acr, isBound
        }
    }

    func register(in table: inout EndpointTable) {
        table.add("api") { BearerCheck.addingNonce(try await Self.api($0), $0) }
        table.add("sap") { exchange in
            if exchange.segments.starts(with: ["sap", "bc"]) { return nil }
            guard case .valid(let info) = try await BearerCheck(exchange) else {
                return Response.text("log on\n", status: .unauthorized).adding(.wwwAuthenticate, "Bearer")
            }
            return try .json(Answer(info, exchange))
        }
        table.add("sap400") { exchange in
            guard case .valid(let info) = try await BearerCheck(exchange) else {
                let name = HTTPField.Name("x-smp-authentication-status")
                let response = Response.text("log on\n", status: .badRequest)
                return name.map { response.adding($0, "1000") } ?? response
            }
            return try .json(Answer(info, exchange))
        }
    }

    private static func api(_ exchange: ServerExchange) async throws -> Response {
        let resource = exchange.segments.count > 1 ? exchange.segments[1] : ""
        let shown = try await BearerCheck(exchange)
        let check = resource == "never" ? revoked(shown) : shown
        var extra = ""
        if resource == "with-metadata" {
            let base = exchange.shared.addresses.base(of: exchange.origin)
            extra = ", resource_metadata=\"\(base)/.well-known/oauth-protected-resource/api/with-metadata\""
        }
        if let refusal = check.refusal(realm: "api", scope: resource == "admin" ? "admin" : nil, extra: extra) {
            return refusal
        }
        guard case .valid(let info) = check else { return .text("a token, please\n", status: .unauthorized) }
        if let refusal = demandedLogin(info, exchange) { return refusal }
        if resource == "moved" { return Response(status: .found).adding(.location, "/api/data") }
        return try .json(Answer(info, exchange))
    }

    /// The demand for another kind of login (RFC 9470, 3) of `/api/acr/CLASS` and `/api/fresh/SECONDS`; nil if the
    /// token's login satisfies it.
    private static func demandedLogin(_ info: AccessTokenInfo, _ exchange: ServerExchange) -> Response? {
        guard exchange.segments.count > 2 else { return nil }
        let demanded = exchange.segments[2]
        let parameter: String
        switch exchange.segments[1] {
        case "acr" where info.authorization.acr != demanded: parameter = "acr_values"
        case "fresh"
        where exchange.shared.clock.date.timeIntervalSince(info.authorization.authenticated)
            > Double(exchange.segmentNumber(2, in: 0...86_400) ?? 0):
            parameter = "max_age"
        default: return nil
        }
        let scheme = info.key == nil ? "Bearer" : "DPoP"
        return Response.text("another login, please\n", status: .unauthorized).adding(
            .wwwAuthenticate,
            "\(scheme) realm=\"api\", error=\"insufficient_user_authentication\", \(parameter)=\(QuotedString.make(demanded))"
        )
    }

    /// Treats every token as revoked.
    private static func revoked(_ check: BearerCheck) -> BearerCheck {
        if case .valid = check { .invalid } else { check }
    }

    /// `/oauth2/userinfo` (OpenID Connect Core, 5.3).
    static func userInfo(_ exchange: ServerExchange) async throws -> Response {
        let check = try await BearerCheck(exchange)
        if let refusal = check.refusal(realm: "userinfo", scope: "openid") { return refusal }
        guard case .valid(let info) = check, let user = info.authorization.user else {
            return .text("nobody\n", status: .forbidden)
        }
        var claims = ["sub": user]
        if info.scopes.contains("profile") { claims["preferred_username"] = user }
        return try .json(claims)
    }

    let contents = [
        ContentsEntry("/api/…", "Bearer: 401 without a token, invalid_token with a bad one"),
        ContentsEntry("/api/admin, /api/never", "needs the scope admin; refuses every token"),
        ContentsEntry("/api/acr/gold, /api/fresh/60", "demands a login of that class, or a recent one (RFC 9470)"),
        ContentsEntry("/api/with-metadata", "the challenge names its resource metadata (RFC 9728)"),
        ContentsEntry("/sap/…, /sap400/…", "401 Bearer; 400 with x-smp-authentication-status: 1000"),
    ]
}
