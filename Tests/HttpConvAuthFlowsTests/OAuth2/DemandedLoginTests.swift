import Foundation
import HttpC
import HttpConvAuthFlowsTesting
import HttpConvFormats
import HttpConversation
import HttpConversationTesting
import TestLandscape
import Testing

@testable import HttpConvAuthFlows

/// Logins of a kind that the configuration or a server demands, pushed requests, and the end of a session.
@Suite("OAuth2: demanded logins", .timeLimit(.minutes(1))) struct DemandedLoginTests {
    private static func parameter(_ name: String, _ url: URL?) -> String? {
        let value = url.map { ScriptedOAuth2WebStrategy.parameter(name, of: $0) }
        return value == "" ? nil : value
    }

    @Test func configuredParametersAreSent() async throws {
        try await withLandscape { landscape async throws in
            let grant = DiscoveredGrant.authorizationCode(
                redirectURI: GrantBench.redirectURI,
                parameters: ["prompt": "login", "max_age": "600", "login_hint": "alice", "ui_locales": "de"])
            let bench = try GrantBench(
                landscape, client: "native", scopes: ["openid", "read"], resources: ["https://orders.example/"],
                grant: grant)
            #expect(try await bench.get().text.contains(#""resources":["https://orders.example/"]"#))
            let opened = bench.web.opened.first
            #expect(Self.parameter("login_hint", opened) == "alice")
            #expect(Self.parameter("ui_locales", opened) == "de")
            #expect(Self.parameter("resource", opened) == "https%3A%2F%2Forders.example%2F")
        }
    }

    @Test(arguments: ["state", "request_uri", "dpop_jkt", "resource", "redirect_uri"])
    func parametersOfTheFlowAreItsOwn(name: String) {
        #expect {
            try DiscoveredGrant.authorizationCode(parameters: [name: "x"]).check()
        } throws: { ($0 as? OAuth2Error)?.code == .invalidConfiguration }
    }

    @Test(arguments: [true, false]) func requestsArePushedIfTheServerDemandsIt(isDemanded: Bool) async throws {
        try await withLandscape { landscape async throws in
            landscape.oauthRule.demandsPushedRequests = isDemanded
            let bench = try GrantBench(landscape, client: "native", usesDPoP: true)
            #expect(try await bench.get().text.contains("alice"))
            #expect(landscape.oauthCounters.pushedRequests == (isDemanded ? 1 : 0))
            let opened = try #require(bench.web.opened.first)
            #expect((Self.parameter("state", opened) == nil) == isDemanded)
            #expect((Self.parameter("request_uri", opened) != nil) == isDemanded)
        }
    }

    @Test func aConfidentialClientPushesItsRequest() async throws {
        try await withLandscape { landscape async throws in
            landscape.oauthRule.demandsPushedRequests = true
            var client = OAuthClient(
                id: "shop", secret: "shop-secret", redirectURIs: [GrantBench.redirectURI],
                grants: [.authorizationCode, .refreshToken])
            for (method, authentication) in [
                (OAuthSecretMethod.basic, OAuth2ClientAuthentication.basic(secret: "shop-secret")),
                (.post, .post(secret: "shop-secret")),
            ] {
                client.secretMethods = [method]
                landscape.addOAuthClient(client)
                let bench = try GrantBench(landscape, client: "shop", authentication)
                #expect(try await bench.get().text.contains("alice"))
            }
            #expect(landscape.oauthCounters.pushedRequests == 2)
        }
    }

    @Test(arguments: [
        (#"{"request_uri":"urn:x y","expires_in":60}"#, 201), (#"{"expires_in":60}"#, 201),
        (#"{"error":"invalid_request"}"#, 400), ("<html>", 200),
    ])
    func anUnusableAnswerToAPushOpensNothing(body: String, status: Int) async throws {
        let grant = OAuth2Grant.authorizationCode(
            try AuthorizationCodeGrant(
                authorizationEndpoint: "https://auth.example.com/authorize", redirectURI: "com.example.app:/back",
                pushedRequestEndpoint: "https://auth.example.com/revoke"))
        let transport = ScriptedTransport { request, _ throws(ConversationError) in
            request.target.origin.host == "auth.example.com"
                ? .init(.init(code: status), [.contentType: "application/json"], body: body)
                : .init(.unauthorized, [.wwwAuthenticate: "Bearer"])
        }
        let bench = try OAuth2Bench(grant: grant)
        let manager = HttpConversationManager(transport: transport, configuration: bench.manager.configuration)
        await #expect(throws: ConversationError.self) { _ = try await manager.get(TokenServer.api) }
        #expect(bench.web.opened.isEmpty)
        #expect(transport.requests.count == 2)
    }

    /// RFC 9470: one login with the demanded class for all who wait.
    @Test func aDemandedClassLeadsToOneLogin() async throws {
        try await withLandscape { landscape async throws in
            let bench = try GrantBench(landscape, client: "native", scopes: ["openid", "read"])
            #expect(try await bench.get().status == .ok)
            #expect(bench.web.opened.count == 1)
            let gate = landscape.holdTokenRequests()
            async let all = bench.manager.getAll((0..<20).map { _ in landscape.urlString(.main, "/api/acr/gold") })
            try await gate.waitForWaiters(1)
            gate.release()
            #expect(try await all.allSatisfy { try $0.get().status == .ok })
            #expect(bench.web.opened.count == 2)
            #expect(Self.parameter("acr_values", bench.web.opened.last) == "gold")
            #expect(landscape.oauthCounters.refreshes == 0)
            // A refresh keeps the login's class.
            landscape.expireAccessTokens()
            #expect(try await bench.get("/api/acr/gold").status == .ok)
            #expect(bench.web.opened.count == 2)
            #expect(landscape.oauthCounters.refreshes == 1)
        }
    }

    @Test func aDemandedAgeLeadsToAFreshLogin() async throws {
        try await withLandscape { landscape async throws in
            let bench = try GrantBench(landscape, client: "native", usesDPoP: true)
            #expect(try await bench.get("/api/fresh/3600").status == .ok)
            #expect(bench.web.opened.count == 1)
        }
    }

    /// A server that is never satisfied asks a person once.
    @Test(arguments: [
        "acr_values=\"gold\"", "max_age=\"x\", acr_values=\"\(String(repeating: "a", count: 2000))\"", "",
    ])
    func aDemandIsMetOnce(parameters: String) async throws {
        let bench = try OAuth2Bench()
        try await bench.store("a", "r")
        bench.server.update {
            $0.acceptsNothing = true
            $0.challenge = .init(
                .unauthorized, [.wwwAuthenticate: "Bearer error=\"insufficient_user_authentication\", \(parameters)"])
        }
        #expect(try await bench.failure()?.code == .insufficientAuthentication)
        #expect(bench.web.opened.count == 1)
        #expect(bench.server.count("refresh_token") == 0)
        #expect(bench.server.count("authorization_code") == 1)
        let isGold = parameters.hasPrefix("acr_values=\"gold\"")
        #expect(Self.parameter("acr_values", bench.web.opened.first) == (isGold ? "gold" : nil))
        #expect(Self.parameter("prompt", bench.web.opened.first) == (isGold ? nil : "login"))
    }

    /// Microsoft Entra demands claims in Base64, padded or not. Text other than a JSON object demands nothing.
    @Test(arguments: [
        ("eyJhY2Nlc3NfdG9rZW4iOnsiYWNycyI6eyJlc3NlbnRpYWwiOnRydWUsInZhbHVlIjoiYzEifX19", true),
        ("eyJhIjoxfQ==", true), ("eyJhIjoxfQ", true), ("WzFd", false), ("%%%", false),
        (String(repeating: "A", count: 8000), false),
    ])
    func demandedClaimsAreRequestedOnce(text: String, isDemand: Bool) async throws {
        let bench = try OAuth2Bench()
        try await bench.store("a", "r")
        bench.server.update {
            $0.acceptsNothing = true
            $0.challenge = .init(
                .unauthorized, [.wwwAuthenticate: "Bearer error=\"insufficient_claims\", claims=\"\(text)\""])
        }
        #expect(try await bench.failure()?.code == (isDemand ? .insufficientAuthentication : .accessTokenRefused))
        #expect(bench.web.opened.count == 1)
        let sent = Self.parameter("claims", bench.web.opened.first)?.removingPercentEncoding
        #expect(sent == (isDemand ? EdmText.binary(text).map { String(decoding: $0, as: UTF8.self) } : nil))
    }

    /// A server of Microsoft Entra may demand a new token of a service, too.
    @Test(arguments: [
        OAuth2Grant.clientCredentials, .password(UsernamePassword(username: "alice", password: "p")),
    ])
    func aGrantWithoutAPageSendsDemandedClaims(grant: OAuth2Grant) async throws {
        let bench = try OAuth2Bench(
            grant: grant, authentication: .basic(secret: "s"), parameters: ["claims": "{}", "audience": "a"])
        try await bench.store("old", isValid: false)
        bench.server.update {
            $0.challenge = .init(
                .unauthorized, [.wwwAuthenticate: #"Bearer error="insufficient_claims", claims="eyJhIjoxfQ==""#])
        }
        #expect(try await bench.get().text == "item for access-1")
        #expect(bench.server.now.forms.map { $0["claims"] } == [#"{"a":1}"#])
        #expect(bench.server.now.forms.map { $0["audience"] } == ["a"])
    }

    @Test func aGrantWithoutALoginCannotMeetADemand() async throws {
        let bench = try OAuth2Bench(grant: .password(UsernamePassword(username: "alice", password: "p")))
        try await bench.store("a", "r")
        bench.server.update {
            $0.acceptsNothing = true
            $0.challenge = .init(
                .unauthorized,
                [.wwwAuthenticate: "Bearer error=\"insufficient_user_authentication\", acr_values=\"gold\""])
        }
        #expect(try await bench.failure()?.code == .insufficientAuthentication)
        #expect(bench.server.now.forms.isEmpty)
    }

    @Test(arguments: [(0.0, true), (700, false)]) func theAgeOfTheLoginIsChecked(age: Double, isGood: Bool) throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let configuration = try OAuth2Configuration(
            clientID: "c", tokenEndpoint: "https://a.example/t", scopes: ["openid"],
            grant: .password(UsernamePassword(username: "", password: "")))
        let claims = #"{"aud":"c","exp":1800000300,"auth_time":\#(Int(1_800_000_000 - age))}"#
        let token = Redacted(
            [#"{"alg":"ES256"}"#, claims, "s"].map { Base64URL.text(Array($0.utf8)) }.joined(separator: "."))
        let check = {
            try IDTokenClaims.check(token, of: configuration, nonce: nil, maximumAge: .seconds(300), at: now)
        }
        if isGood { try check() } else { #expect(throws: OAuth2Error.self) { try check() } }
    }

    @Test func theSessionEndsWithTheTokens() async throws {
        try await withLandscape { landscape async throws in
            let bench = try GrantBench(landscape, client: "native", scopes: ["openid", "read"])
            #expect(try await bench.get().status == .ok)
            #expect(try await bench.tokens.logOut(from: landscape.urlString(), using: bench.manager) == .sessionEnded)
            #expect(landscape.oauthCounters.endedSessions == 1)
            #expect(landscape.oauthCounters.revocations > 0)
            #expect(try await bench.stored() == nil)
            // Without an ID token there is no session to name.
            let other = try GrantBench(landscape, client: "native")
            #expect(try await other.get().status == .ok)
            #expect(try await other.tokens.logOut(from: landscape.urlString(), using: other.manager) == .revoked)
            #expect(landscape.oauthCounters.endedSessions == 1)
        }
    }
}
