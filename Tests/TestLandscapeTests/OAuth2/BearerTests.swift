import Foundation
import LandscapeSupport
import Testing

@Suite(.landscape, .timeLimit(.minutes(1))) struct BearerTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    @Test(
        arguments: [
            ("/api/page", [], 401, #"Bearer realm="api""#),
            ("/api/page", ["-u", "alice:wonderland"], 401, #"Bearer realm="api""#),
            ("/api/page?access_token=TOKEN", [], 401, #"Bearer realm="api""#),
            ("/api/page", ["-d", "access_token=TOKEN"], 401, #"Bearer realm="api""#),
            (
                "/api/page", ["-H", "Authorization: Bearer unknown"], 401,
                #"Bearer realm="api", error="invalid_token", error_description="unknown, expired or revoked""#
            ),
            (
                "/api/page", ["-H", "Authorization: Bearer a,b"], 400,
                #"Bearer realm="api", error="invalid_request", error_description="not a token""#
            ),
            (
                "/api/page", ["-H", "Authorization: Bearer TOKEN", "-H", "Authorization: Bearer TOKEN"], 400,
                #"Bearer realm="api", error="invalid_request", error_description="not a token""#
            ),
            ("/api/page", ["-H", "Authorization: bEARER TOKEN"], 200, nil),
            (
                "/api/admin", ["-H", "Authorization: Bearer TOKEN"], 403,
                #"Bearer realm="api", error="insufficient_scope", scope="admin""#
            ),
            (
                "/api/never", ["-H", "Authorization: Bearer TOKEN"], 401,
                #"Bearer realm="api", error="invalid_token", error_description="unknown, expired or revoked""#
            ),
            ("/sap/page", [], 401, "Bearer"), ("/sap/page", ["-H", "Authorization: Bearer unknown"], 401, "Bearer"),
            ("/sap/page", ["-H", "Authorization: Bearer TOKEN"], 200, nil), ("/sap400/page", [], 400, nil),
            ("/sap400/page", ["-H", "Authorization: Bearer unknown"], 400, nil),
            ("/sap400/page", ["-H", "Authorization: Bearer TOKEN"], 200, nil),
        ] as [(String, [String], Int, String?)])
    func challenges(path: String, arguments: [String], status: Int, challenge: String?) async throws {
        let person = try OAuthPerson(landscape)
        let token = try #require(landscape.issueTokens(client: "native")).accessToken
        func insert(_ text: String) -> String { text.replacingOccurrences(of: "TOKEN", with: token) }
        let answer = try await person.curl(arguments.map(insert), insert(path))
        #expect(answer.status == status)
        #expect(answer["www-authenticate"] == challenge)
        let isSAP400 = path == "/sap400/page" && status == 400
        #expect(answer["x-smp-authentication-status"] == (isSAP400 ? "1000" : nil))
    }

    @Test func namesUserClientAndScopes() async throws {
        let person = try OAuthPerson(landscape, .secure)
        let tokens = try #require(
            landscape.issueTokens(client: "native", user: "jürgen", scopes: ["read", "admin"], origin: .secure))
        let answer = try await person.curl(["-H", "Authorization: Bearer \(tokens.accessToken)"], "/api/admin")
        #expect(answer.text("user") == "jürgen" && answer.text("client") == "native")
        #expect(answer.json["scopes"] as? [String] == ["read", "admin"])
        #expect(answer.text("issuer") == landscape.issuer(.secure))
        landscape.clock.advance(by: .seconds(61))
        #expect(try await person.status(tokens.accessToken) == 401)
        #expect(landscape.oauthCounters.bearerAccepted == 1 && landscape.oauthCounters.bearerRefused == 1)
    }

    @Test(arguments: [LandscapeOrigin.main, .secure])
    func leadsFromTheResourceToTheServer(origin: LandscapeOrigin) async throws {
        let person = try OAuthPerson(landscape, origin)
        let challenge = try #require(try await person.curl([], "/api/with-metadata")["www-authenticate"])
        let base = landscape.urlString(origin, "")
        let path = "/.well-known/oauth-protected-resource/api/with-metadata"
        #expect(challenge == #"Bearer realm="api", resource_metadata="\#(base)\#(path)""#)
        let resource = try await person.curl([], path)
        #expect(resource.text("resource") == base + "/api/with-metadata")
        #expect(resource.json["authorization_servers"] as? [String] == [landscape.issuer(origin)])
        for path in ["/.well-known/oauth-authorization-server/oauth2", "/oauth2/.well-known/openid-configuration"] {
            let server = try await person.curl([], path)
            #expect(server.text("issuer") == base + "/oauth2")
            #expect(server.text("token_endpoint") == base + "/oauth2/token")
            #expect(server.json["code_challenge_methods_supported"] as? [String] == ["S256"])
            #expect(server.json["authorization_response_iss_parameter_supported"] as? Bool == true)
        }
        landscape.oauthRule.metadataIssuer = "https://attacker.example"
        let server = try await person.curl([], "/.well-known/oauth-authorization-server/oauth2")
        #expect(server.text("issuer") == "https://attacker.example")
    }

    @Test func printsTheTableOfContents() async throws {
        let contents = landscape.tableOfContents
        for text in ["OAuth2 clients", "  native ", "/oauth2/token", "/sap/…", "/admin/oauth/rule"] {
            #expect(contents.contains(text))
        }
    }
}
