import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

@testable import HttpConvAuthFlows

@Suite("OAuth2: tokens sent ahead", .timeLimit(.minutes(1)))
struct ProactiveTokenTests {
    private let bench: OAuth2Bench

    init() throws { bench = try OAuth2Bench() }

    @Test func aStoredTokenGoesAlongAtOnce() async throws {
        try await bench.store("stored", "r")
        #expect(try await bench.get().text == "item for stored")
        #expect(bench.server.now.challenges == 0)
        #expect(bench.server.now.grants.isEmpty)
    }

    /// The request arrives without the token (S11).
    @Test(arguments: [
        "https://api.example.com:8443/items", "https://sub.api.example.com/items", "http://api.example.com/items",
        "https://example.com/items", "https://api.example.com.evil.org/items", "https://evil.org/api.example.com/items",
    ])
    func noOtherOriginGetsIt(url: String) async throws {
        try await bench.store("canary-token", "canary-refresh")
        _ = try await bench.get()
        let response = try await bench.get(url)
        #expect(response.status == .unauthorized)
        let requests = bench.transport.requests
        #expect(requests.count == 2)
        #expect(requests[0].headerFields[.authorization] == "Bearer canary-token")
        #expect(!"\(requests[1].headerFields.map { $0.value })".contains("canary"))
        #expect(bench.web.opened.isEmpty)
    }

    /// A support that claims too much is limited to its token origins.
    @Test func aSupportThatClaimsEverythingIsHeldToItsOrigins() async throws {
        struct Greedy: OAuth2ServerSupport {
            let name = OAuth2Bench.name
            let tokenOrigins: Set<Origin>
            let configuration: OAuth2Configuration
            func isSupportedEndpoint(_ url: TargetURL) -> Bool { true }
            func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration { configuration }
            func storageURL(forRequestURL url: TargetURL) -> TargetURL {
                (try? TargetURL("https://api.example.com/")) ?? url
            }
        }
        let configuration = try OAuth2Configuration(
            clientID: "c", tokenEndpoint: "https://auth.example.com/token", grant: OAuth2Bench.code())
        let plain = try Origin(scheme: .http, host: "plain.example.com")
        let bench = try OAuth2Bench(
            support: Greedy(
                tokenOrigins: [try Origin(scheme: .https, host: "api.example.com"), plain], configuration: configuration
            ))
        try await bench.store("stored")
        #expect(try await bench.get().status == .ok)
        // One is listed, but plain http; the other is not listed.
        for url in ["http://plain.example.com/items", "https://evil.org/items"] {
            #expect(try await bench.get(url).status == .unauthorized)
        }
        #expect(bench.server.now.calls.map(\.authorization) == ["Bearer stored", nil, nil])
        #expect(bench.server.now.grants.isEmpty)
    }

    @Test func itDoesNotFollowARedirectElsewhere() async throws {
        try await bench.store("canary")
        let transport = ScriptedTransport { request, _ in
            if request.target.origin.host == "api.example.com" {
                return .init(.found, [.location: "https://cdn.example.com/x"])
            }
            return .init(.ok, body: "there")
        }
        let manager = HttpConversationManager(transport: transport, configuration: bench.manager.configuration)
        #expect(try await manager.get(TokenServer.api).text == "there")
        #expect(transport.requests.map { $0.headerFields[.authorization] } == ["Bearer canary", nil])
    }

    @Test func theCallersOwnAuthorizationIsLeftAlone() async throws {
        try await bench.store("stored")
        bench.server.update { $0.validAccess = ["own"] }
        let request = try HTTPRequest(.get, TokenServer.api, fields: [.authorization: "Bearer own"])
        #expect(try await bench.manager.data(for: request).text == "item for own")
        #expect(bench.server.now.calls.map(\.authorization) == ["Bearer own"])
    }

    @Test func anEndingTokenIsRenewedBeforeItIsSent() async throws {
        try await bench.store("old", "r1", endsIn: 30)
        #expect(try await bench.get().text == "item for access-1")
        #expect(bench.server.now.challenges == 0)
        #expect(bench.server.count("refresh_token") == 1)
        #expect(bench.server.now.forms[0]["client_id"] == "native")
        let stored = try await bench.stored()
        #expect(stored?.refreshToken?.value == "refresh-1")
        #expect(stored?.source == .refresh)
    }

    /// An expired token without a refresh token is still sent: the clock may be wrong, and the server decides.
    @Test func anExpiredTokenWithoutRefreshTokenIsTried() async throws {
        try await bench.store("old", endsIn: -100_000)
        #expect(try await bench.get().text == "item for old")
    }

    /// Grants without a person run ahead, once for all conversations: a body that can be sent only once survives.
    @Test func anExpiredTokenOfAClientIsReplacedAhead() async throws {
        let bench = try OAuth2Bench(grant: .clientCredentials, authentication: .basic(secret: "s"))
        bench.server.update { $0.rotates = false }
        #expect(try await bench.get().text == "item for access-1")
        bench.time.advance(by: .seconds(3601))
        bench.server.update { $0.validAccess = [] }
        let body = AsyncStream<[UInt8]> { continuation in
            continuation.yield([1])
            continuation.finish()
        }
        let request = try HTTPRequest(.put, TokenServer.api)
        #expect(try await bench.manager.data(for: request, body: .oneShot(body)).text == "item for access-2")
        #expect(bench.server.now.challenges == 1, "the one before the first token")

        bench.time.advance(by: .seconds(3601))
        let gate = Gate()
        bench.server.tokenGate.withLock { $0 = gate }
        async let responses = bench.manager.getAll((0..<5).map { "\(TokenServer.api)/\($0)" })
        await bench.waitForRenewal(5)
        gate.open()
        for response in await responses { #expect(try response.get().text == "item for access-3") }
        #expect(bench.server.count("client_credentials") == 3 && bench.server.now.challenges == 1)
    }

    /// The server decides if no new token can be had now. A support of an application says by its configuration how it
    /// gets tokens.
    @Test(arguments: [true, false]) func anExpiredTokenOfAClientIsTriedInTrouble(isKnown: Bool) async throws {
        struct Own: OAuth2ServerSupport {
            let name = OAuth2Bench.name
            let tokenOrigins: Set<Origin>
            let configuration: OAuth2Configuration
            func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration { configuration }
        }
        let own = Own(
            tokenOrigins: [try Origin(scheme: .https, host: "api.example.com")],
            configuration: try OAuth2Configuration(
                clientID: "native", authentication: .basic(secret: "s"),
                tokenEndpoint: "https://auth.example.com/token", grant: .clientCredentials))
        let bench = try OAuth2Bench(
            grant: .clientCredentials, support: isKnown ? nil : own, authentication: .basic(secret: "s"))
        try await bench.store("old", endsIn: -1)
        bench.server.override { _ in .init(.serviceUnavailable) }
        #expect(try await bench.get().text == "item for old")
        #expect(bench.server.count("client_credentials") == 1)
        bench.time.advance(by: .seconds(3))
        bench.server.override { _ in nil }
        #expect(try await bench.get().text == "item for access-1")
        #expect(bench.server.now.challenges == 0)
    }

    /// A support may change the place of its tokens between two requests to the same URL.
    @Test func theTokensOfAnotherTenantAreNotThoseBefore() async throws {
        final class Tenants: OAuth2ServerSupport {
            let name = "tenants"
            let tokenOrigins: Set<Origin>
            let tenant: Mutex<TargetURL>
            init(_ origin: Origin, _ first: TargetURL) {
                tokenOrigins = [origin]
                tenant = Mutex(first)
            }
            func storageURL(forRequestURL url: TargetURL) -> TargetURL { tenant.withLock { $0 } }
            func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration {
                throw OAuth2Error(.invalidConfiguration, "not needed")
            }
        }
        let places = try ["one", "two"].map { try TargetURL("https://api.example.com/\($0)") }
        let support = Tenants(places[0].origin, places[0])
        let bench = try OAuth2Bench(support: support)
        for (place, token) in zip(places, ["first", "second"]) {
            try await bench.storage.save(
                OAuth2Tokens(accessToken: token), for: OAuth2TokenKey(storageURL: place, supportName: support.name))
            bench.server.update { $0.validAccess.insert(token) }
        }
        #expect(try await bench.get().text == "item for first")
        support.tenant.withLock { $0 = places[1] }
        #expect(try await bench.get().text == "item for second")
    }

    /// Also a page of a portal, a firewall or a gateway says nothing about the tokens. One after the other, because the
    /// benches share the endpoint.
    @Test func aServerInTroubleDoesNotTakeAwayAGoodToken() async throws {
        let html: HTTPFields = [.contentType: "text/html"]
        let answers: [ScriptedTransport.Answer] = [
            .init(.serviceUnavailable), .init(.ok, html, body: "<html>maintenance"),
            .init(.found, [.location: "https://portal.example/"]), .init(.forbidden, html, body: "<html>firewall"),
            .init(.requestTimeout, html, body: "<html>timeout"), .init(.notFound, body: "no"),
            TokenServer.json(#"{"message":"Forbidden"}"#, .forbidden), TokenServer.refusal("Not Found", .notFound),
        ]
        for answer in answers {
            let bench = try OAuth2Bench()
            try await bench.store("old", "r1", endsIn: 30)
            bench.server.override { _ in answer }
            #expect(try await bench.get().text == "item for old", "\(answer)")
            #expect(try await bench.get().text == "item for old", "\(answer)")
            // The second request does not refresh at once.
            #expect(bench.server.count("refresh_token") == 1)
            bench.time.advance(by: .seconds(3))
            bench.server.override { _ in nil }
            #expect(try await bench.get().text == "item for access-1")
        }
    }

    @Test func tokenRequestsCarryNoCookiesAndFollowNoRedirect() async throws {
        let token = try TargetURL("https://auth.example.com/")
        bench.manager.configuration.session.cookies.store(setCookie: ["sid=canary; Path=/"], from: token)
        try await bench.store("old", "r1", endsIn: -1)
        bench.server.override { _ in .init(.temporaryRedirect, [.location: "https://evil.org/token"]) }
        #expect(try await bench.failure()?.code == .malformedResponse)
        #expect(bench.transport.requests.map(\.target.origin.host) == ["auth.example.com"])
        #expect(bench.transport.requests[0].headerFields[.cookie] == nil)
        // The cookie is sent to the same place if the caller's own conversation requests it.
        _ = try await bench.get("https://auth.example.com/other")
        #expect(bench.transport.requests.last?.headerFields[.cookie] == "sid=canary")
    }

    @Test func anEndlessTokenAnswerIsCut() async throws {
        try await bench.store("old", "r1", endsIn: -1)
        bench.server.override { _ in
            TokenServer.json("{\"access_token\":\"\(String(repeating: "a", count: 2 << 20))\"}")
        }
        #expect(try await bench.failure()?.code == .malformedResponse)
    }
}
