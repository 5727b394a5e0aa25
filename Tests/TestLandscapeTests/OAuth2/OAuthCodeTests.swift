import Foundation
import LandscapeSupport
import Testing

@Suite(.landscape, .timeLimit(.minutes(1))) struct OAuthCodeTests {
    private let landscape: Landscape
    private let person: OAuthPerson

    init() throws {
        landscape = try .current
        person = try OAuthPerson(landscape)
    }

    @Test(arguments: [LandscapeOrigin.main, .secure])
    func givesTokensForACode(origin: LandscapeOrigin) async throws {
        let person = try OAuthPerson(landscape, origin)
        let form = try await person.authorize()
        #expect(form.status == 200)
        #expect(form["set-cookie"]?.hasSuffix(origin == .secure ? "; Secure" : "SameSite=Lax") == true)
        let repeated = try await person.logIn(form, password: "wrong")
        #expect(repeated.status == 200)
        #expect(repeated.body.contains("wrong password"))
        #expect(repeated.csrf != nil && repeated.csrf != form.csrf)
        let answer = try await person.logIn(repeated)
        #expect(answer.status == 303)
        #expect(answer.target == OAuthPerson.loopback)
        #expect(answer.parameter("state") == "a state/ü")
        #expect(answer.parameter("iss") == landscape.issuer(origin))
        let tokens = try await person.redeem(try #require(answer.parameter("code")))
        #expect(tokens.status == 200)
        #expect(tokens["cache-control"] == "no-store")
        #expect(tokens.text("token_type") == "Bearer")
        #expect(tokens.json["expires_in"] as? Int == 60)
        #expect(tokens.text("access_token")?.count == 43)
        #expect(try await person.status(tokens.text("access_token")) == 200)
        // After a login there is no form, even with `prompt=none`.
        #expect(try await person.authorize(["prompt": "none"]).parameter("code") != nil)
        #expect(try await person.authorize(["prompt": "login"]).csrf != nil)
        let counters = landscape.oauthCounters
        #expect(counters.loginForms == 3 && counters.logins == 1 && counters.failedLogins == 1)
        #expect(counters.codes == 2 && counters.grants == ["authorization_code": 1])
    }

    @Test func aFormWorksOnceAndInItsBrowserOnly() async throws {
        let (person, other) = (try OAuthPerson(landscape), try OAuthPerson(landscape))
        let form = try await person.authorize()
        _ = try await other.authorize()
        #expect(try await other.logIn(form).status == 403)
        #expect(try await person.submit("/oauth2/authorize", ["csrf": "x", "username": "alice"]).status == 403)
        #expect(try await person.logIn(form).status == 303)
        #expect(try await person.logIn(form).status == 403)
        landscape.expireSessions()
        #expect(try await person.authorize(["prompt": "none"]).parameter("error") == "login_required")
    }

    @Test(arguments: [
        ("http://127.0.0.1:1/callback", 200), ("http://[::1]:65535/callback", 200), ("http://127.0.0.1/callback", 200),
        ("com.example.app:/callback", 200), ("http://127.0.0.1:1/callback/", 400), ("http://127.0.0.1:1/other", 400),
        ("http://127.0.0.1:1@evil.example/callback", 400), ("http://127.0.0.1:/callback", 400),
        ("http://127.0.0.1:70000/callback", 400), ("http://127.0.0.1.evil.example/callback", 400),
        ("http://localhost:1/callback", 400), ("https://127.0.0.1:1/callback", 400),
        ("com.example.app:/callback2", 400), ("http://127.0.0.1:1/callback?x=1", 400), ("javascript:alert(1)", 400),
    ])
    func matchesRedirectURIs(uri: String, status: Int) async throws {
        let answer = try await OAuthPerson(landscape).authorize(["redirect_uri": uri])
        #expect(answer.status == status)
        #expect(answer["location"] == nil)
    }

    @Test(
        arguments: [
            (["code_challenge": nil], "invalid_request"), (["code_challenge_method": "plain"], "invalid_request"),
            (["code_challenge_method": nil], "invalid_request"), (["code_challenge": "short"], "invalid_request"),
            (["response_type": "token"], "unsupported_response_type"), (["response_type": nil], "invalid_request"),
            (["scope": "read everything"], "invalid_scope"), (["prompt": "none"], "login_required"),
            (["prompt": "none login"], "invalid_request"), (["response_mode": "fragment"], "invalid_request"),
            (["request_uri": "urn:x"], "request_uri_not_supported"),
            (["client_id": "web", "code_challenge": nil], "invalid_request"),
        ] as [([String: String?], String)])
    func tellsTheClientWhatIsWrong(changes: [String: String?], error: String) async throws {
        let answer = try await OAuthPerson(landscape).authorize(changes)
        #expect(answer.status == 302)
        #expect(answer.target == OAuthPerson.loopback)
        #expect(answer.parameter("error") == error)
        #expect(answer.parameter("state") == "a state/ü")
        #expect(answer.parameter("iss") == landscape.issuer())
        #expect(answer.parameter("code") == nil)
    }

    @Test func aPortNeverHidesAnotherHost() async throws {
        let uri = "http://127.0.0.1.app.example/"
        landscape.addOAuthClient(OAuthClient(id: "odd", redirectURIs: [uri], grants: [.authorizationCode]))
        let request: [String: String?] = ["client_id": "odd", "redirect_uri": uri]
        #expect(try await person.authorize(request).status == 200)
        let other = "http://127.0.0.1:5.app.example/"
        #expect(try await person.authorize(request.merging(["redirect_uri": other]) { $1 }).status == 400)
    }

    @Test func aLoginGetsACookieOfItsOwnAndKeepsOpenForms() async throws {
        let (person, thief) = (try OAuthPerson(landscape), try OAuthPerson(landscape))
        let (first, second) = (try await person.authorize(), try await person.authorize())
        try Data(contentsOf: person.cookies.url).write(to: thief.cookies.url)
        #expect(try await person.logIn(first).parameter("code") != nil)
        #expect(try await person.logIn(second, user: "bob", password: "builder's \"secret\"").status == 303)
        #expect(try await thief.authorize(["prompt": "none"]).parameter("error") == "login_required")
    }

    @Test func neverAdoptsACookie() async throws {
        let path =
            "/oauth2/authorize?response_type=code&client_id=native&redirect_uri=com.example.app:/callback"
            + "&code_challenge=\(OAuthPerson.challenge)&code_challenge_method=S256"
        let answer = try await OAuthPerson(landscape).curl(["-b", "OAUTH2_LOGIN_main=chosen"], path)
        #expect(answer.csrf != nil)
        let cookie = try #require(answer["set-cookie"])
        #expect(cookie.hasPrefix("OAUTH2_LOGIN_main=") && !cookie.contains("chosen"))
    }

    @Test func consentDoesNotReplaceALogin() async throws {
        _ = try await person.code()
        let form = try await person.authorize(["prompt": "login"])
        let answer = try await person.submit("/oauth2/authorize", ["csrf": form.csrf ?? "", "consent": "allow"])
        #expect(answer.status == 200 && answer["location"] == nil)
    }

    @Test func neverRedirectsForAnUnknownClient() async throws {
        #expect(try await person.authorize(["client_id": "nobody"]).status == 400)
        #expect(try await person.authorize(["redirect_uri": nil]).status == 400)
        let twice = try await person.open("/oauth2/authorize?client_id=native&client_id=web")
        #expect(twice.status == 400)
    }

    @Test(
        arguments: [
            ["code_verifier": nil], ["code_verifier": OAuthPerson.challenge], ["redirect_uri": nil],
            ["redirect_uri": "http://127.0.0.1:49153/callback"], ["client_id": "tv"], ["code": "unknown"],
        ] as [[String: String?]])
    func refusesAWrongRedemption(changes: [String: String?]) async throws {
        let answer = try await person.redeem(try await person.code(), changes)
        #expect(answer.status == 400)
        #expect(answer.error == (changes.keys.contains("client_id") ? "unauthorized_client" : "invalid_grant"))
    }

    @Test func aCodeExpiresAndBelongsToItsIssuer() async throws {
        let (person, elsewhere) = (try OAuthPerson(landscape), try OAuthPerson(landscape, .other))
        let code = try await person.code()
        #expect(try await elsewhere.redeem(code).error == "invalid_grant")
        let second = try #require(try await person.authorize().parameter("code"))
        landscape.clock.advance(by: .seconds(61))
        #expect(try await person.redeem(second).error == "invalid_grant")
        #expect(landscape.oauthCounters.invalidGrants == 2)
    }

    @Test func aReplayedCodeEndsItsTokens() async throws {
        let code = try await person.code()
        let tokens = try await person.redeem(code)
        #expect(try await person.status(tokens.text("access_token")) == 200)
        #expect(try await person.redeem(code).error == "invalid_grant")
        #expect(try await person.status(tokens.text("access_token")) == 401)
        #expect(try await person.refresh(tokens.text("refresh_token")).error == "invalid_grant")
        #expect(landscape.oauthCounters.codeReplays == 1)
    }

    @Test func customSchemesAndQueriesInRedirectURIs() async throws {
        let custom = try await person.logIn(
            try await person.authorize(["redirect_uri": "com.example.app:/callback"]))
        #expect(custom["location"]?.hasPrefix("com.example.app:/callback?code=") == true)
        let uri = "https://web.example/callback?from=oauth"
        let web = try await person.authorize(["client_id": "web", "redirect_uri": uri])
        #expect(web["location"]?.hasPrefix(uri + "&code=") == true)
        let code = try #require(web.parameter("code"))
        let changes = ["client_id": "web", "redirect_uri": uri, "client_secret": "web-secret: 100% + more"]
        #expect(try await person.redeem(code, changes).status == 200)
    }

    @Test(arguments: ["allow", "deny"]) func asksForConsentOnce(decision: String) async throws {
        var client = OAuthClient(
            id: "<curious>", redirectURIs: ["curious:/"], grants: [.authorizationCode, .refreshToken])
        client.needsConsent = true
        landscape.addOAuthClient(client)
        let request: [String: String?] = ["client_id": "<curious>", "redirect_uri": "curious:/"]
        let page = try await person.logIn(try await person.authorize(request))
        #expect(page.body.contains("&lt;curious&gt; asks for: openid, read."))
        let silent = try await person.authorize(request.merging(["prompt": "none"]) { $1 })
        #expect(silent.parameter("error") == "consent_required")
        let form = ["csrf": page.csrf ?? "", "consent": decision]
        let answer = try await person.submit("/oauth2/authorize", form)
        #expect(answer.parameter("error") == (decision == "allow" ? nil : "access_denied"))
        let later = try await person.authorize(request)
        #expect((later.parameter("code") != nil) == (decision == "allow"))
    }

    @Test(arguments: OAuthAuthorizationFault.allCases)
    func faultChangesAuthorizationAnswer(fault: OAuthAuthorizationFault) async throws {
        landscape.failAuthorizations(fault)
        let answer = try await person.logIn(try await person.authorize())
        let (state, issuer) = (answer.parameter("state"), answer.parameter("iss"))
        #expect((state == "a state/ü") == ![.wrongState, .missingState].contains(fault))
        #expect((state == nil) == (fault == .missingState))
        #expect((issuer == landscape.issuer()) == ![.wrongIssuer, .missingIssuer].contains(fault))
        #expect((issuer == nil) == (fault == .missingIssuer))
        #expect((answer.parameter("error") == "server_error") == (fault == .serverError))
        if fault == .foreignCode {
            #expect(try await person.redeem(answer.parameter("code") ?? "").error == "invalid_grant")
        }
        #expect(try await person.authorize().parameter("code") != nil)
        #expect(landscape.oauthCounters.injectedFaults == 1)
    }

    @Test func aliasOfAuthorizeEndpointWorks() async throws {
        let query = try await person.open(
            "/oauth2/api/v1/authorize",
            [
                "response_type": "code", "client_id": "native", "redirect_uri": OAuthPerson.loopback,
                "code_challenge": OAuthPerson.challenge, "code_challenge_method": "S256",
            ])
        let answer = try await person.logIn(
            query, user: "jürgen", password: "pässwörd€", path: "/oauth2/api/v1/authorize")
        let tokens = try await person.post(
            [
                "grant_type": "authorization_code", "code": answer.parameter("code") ?? "",
                "redirect_uri": OAuthPerson.loopback, "client_id": "native", "code_verifier": OAuthPerson.verifier,
            ], to: "/oauth2/api/v1/token")
        #expect(try await person.status(tokens.text("access_token"), "/sap/page") == 200)
        #expect(tokens.text("scope") == "read")
    }
}
