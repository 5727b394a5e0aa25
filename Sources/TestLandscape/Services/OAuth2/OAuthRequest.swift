/// An authorization request (RFC 6749, 4.1.1) whose client and redirect URI belong together.
struct OAuthRequest: Sendable {
    let client: OAuthClient
    let redirectURI: String
    let state: String?
    let nonce: String?
    let scopes: [String]
    let challenge: String
    let prompt: Set<String>
    /// The requested classes of authentication (OpenID Connect Core, 3.1.2.1).
    let acrValues: [String]
    /// The maximum age of the login in seconds.
    let maximumAge: Int?
    /// The thumbprint of the key that the code is for (RFC 9449, 10).
    let key: String?
    /// The resources that the tokens are for (RFC 8707).
    let resources: [String]

    /// The target for errors; nil if the request must not be redirected anywhere (RFC 6749, 4.1.2.1).
    static func target(_ form: FormFields, _ server: OAuthServer) -> (client: OAuthClient, redirectURI: String)? {
        guard form.repeated.isDisjoint(with: ["client_id", "redirect_uri"]),
            let client = form["client_id"].flatMap({ server.clients[$0] }),
            let redirectURI = form["redirect_uri"], client.accepts(redirectURI: redirectURI)
        else { return nil }
        return (client, redirectURI)
    }

    /// Checks the rest of the request. Failures are sent to the client.
    init(_ form: FormFields, client: OAuthClient, redirectURI: String, server: OAuthServer) throws {
        if let name = form.repeated.subtracting(["resource"]).min() {
            throw OAuthFailure.invalidRequest("\(name) occurs more than once")
        }
        guard client.grants.contains(.authorizationCode) else {
            throw OAuthFailure("unauthorized_client", "not with this client")
        }
        guard let type = form["response_type"] else { throw OAuthFailure.invalidRequest("response_type is missing") }
        guard type == "code" else { throw OAuthFailure("unsupported_response_type", "only code") }
        if form["request"] != nil { throw OAuthFailure("request_not_supported", "no request objects") }
        if form["request_uri"] != nil { throw OAuthFailure("request_uri_not_supported", "no request objects") }
        guard (form["response_mode"] ?? "query") == "query" else { throw OAuthFailure.invalidRequest("only query") }
        guard let challenge = form["code_challenge"], form["code_challenge_method"] == "S256",
            challenge.utf8.count == 43, challenge.utf8.allSatisfy(Self.isBase64URL)
        else { throw OAuthFailure.invalidRequest("PKCE with S256, please") }
        let prompt = Set(form.words("prompt") ?? [])
        guard !prompt.contains("none") || prompt.count == 1 else {
            throw OAuthFailure.invalidRequest("prompt none goes with nothing else")
        }
        self.client = client
        self.redirectURI = redirectURI
        self.challenge = challenge
        self.prompt = prompt
        state = form["state"]
        nonce = form["nonce"]
        acrValues = form.words("acr_values") ?? []
        maximumAge = form["max_age"].flatMap { Int($0) }
        key = form["dpop_jkt"]
        resources = try Self.resources(form)
        scopes = try server.scopes(form.words("scope"), for: client)
    }

    /// The resources (RFC 8707, 2).
    static func resources(_ form: FormFields) throws -> [String] {
        let resources = form.all("resource")
        guard resources.allSatisfy({ $0.contains(":") && !$0.contains("#") }) else {
            throw OAuthFailure("invalid_target", "a resource is an absolute URI without fragment")
        }
        return resources
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
