import HttpC
import HttpConversationNIO
import HttpConversationTesting
import LandscapeSupport
import Synchronization
import Testing

@testable import HttpConvAuthFlows

/// A token endpoint that is down is asked by one request at a time, whatever the number of sessions.
@Suite("OAuth2: a token endpoint that is down", .timeLimit(.minutes(1))) struct TokenEndpointGateTests {
    private let clock = TestClock()
    private let gate: TokenEndpointGate
    private let endpoint: TargetURL
    private let sessions = [HttpSession(), HttpSession()]

    init() throws {
        gate = TokenEndpointGate(clock: clock) { 1 }
        endpoint = try TargetURL("https://as.example.com/token")
    }

    private func ask(
        _ error: OAuth2Error? = nil, of session: Int = 0, through proxy: Origin? = nil
    ) async -> OAuth2Error? {
        do {
            try await gate.pass(to: endpoint, of: sessions[session], through: proxy) { if let error { throw error } }
            return nil
        } catch { return error as? OAuth2Error }
    }

    private func down(retryAfter: Duration? = nil) -> OAuth2Error {
        OAuth2Error(.temporarilyUnavailable, "sent", endpoint: endpoint, status: 503, retryAfter: retryAfter)
    }

    private func fail(_ times: Int) async {
        for number in 0..<times { #expect(await ask(down(), of: number % 2)?.message == "sent") }
    }

    @Test("After five failures nothing is sent in the pause, and the pause doubles up to half a minute")
    func pauses() async throws {
        await fail(5)
        for seconds in [1, 2, 4, 8, 16, 30, 30] {
            #expect(gate.failures.first?.pause == .seconds(seconds))
            let refused = try #require(await ask())
            #expect(refused.code == .temporarilyUnavailable && refused.retryAfter == .seconds(seconds))
            #expect(refused.message.contains("503") && refused.message.contains("in \(seconds) s"))
            clock.advance(by: .seconds(seconds))
            await fail(1)
        }
    }

    @Test("Requests that fail together make one pause")
    func together() async throws {
        // Each is sent before the one that it waits for has failed.
        func ask(_ others: Int) async {
            try? await gate.pass(to: endpoint, of: sessions[others % 2]) {
                if others > 0 { await ask(others - 1) }
                throw down()
            }
        }
        await ask(19)
        #expect(gate.failures.first?.failures == 20)
        #expect(gate.failures.first?.pause == .seconds(1))
    }

    @Test("An answer ends it, also one that refuses the grant")
    func answers() async throws {
        await fail(4)
        #expect(await ask() == nil)
        #expect(gate.failures.isEmpty)
        await fail(5)
        clock.advance(by: .seconds(1))
        #expect(await ask(OAuth2Error(.invalidGrant, "no", endpoint: endpoint, status: 400))?.code == .invalidGrant)
        #expect(gate.failures.isEmpty)
        #expect(await ask() == nil)
    }

    @Test("Retry-After is the pause, within bounds")
    func retryAfter() async throws {
        await fail(4)
        for (asked, pause) in [(7, 7), (3600, 30)] {
            #expect(await ask(down(retryAfter: .seconds(asked)))?.message == "sent")
            #expect(gate.failures.first?.pause == .seconds(pause))
            clock.advance(by: .seconds(pause))
        }
    }

    @Test("Failures that may be one session's own stop no other session")
    func ownTrouble() async throws {
        let errors = [
            OAuth2Error(.temporarilyUnavailable, "a", endpoint: endpoint, status: 429),
            OAuth2Error(
                .endpointUnreachable, "b", endpoint: endpoint,
                underlyingError: ConversationError(.publicKeyNotPinned, "")),
            OAuth2Error(.insecureEndpoint, "c", endpoint: endpoint),
            // One login may make a server fail.
            OAuth2Error(.temporarilyUnavailable, "d", endpoint: endpoint, status: 500),
            OAuth2Error(.temporarilyUnavailable, "e", endpoint: endpoint, status: 501),
        ]
        for error in errors {
            for number in 0..<20 { #expect(await ask(error, of: number % 2)?.message == error.message) }
        }
        #expect(gate.failures.isEmpty)
        // Nor do they hide that the endpoint is down.
        await fail(4)
        for error in errors { #expect(await ask(error)?.message == error.message) }
        await fail(1)
        #expect(await ask()?.retryAfter == .seconds(1))
    }

    @Test("A page or a redirect in place of tokens counts, and an error page of one request does not")
    func pages() async throws {
        func page(_ status: Int) throws -> OAuth2Error {
            let answer = EndpointAnswer(
                endpoint: endpoint, status: status, fields: [:], bytes: Array("<html>".utf8), secrets: [])
            return try #require(#expect(throws: OAuth2Error.self) { _ = try answer.success() })
        }
        for (number, status) in [200, 302, 403, 404, 408, 200, 302, 200].enumerated() {
            #expect(await ask(try page(status), of: number % 2)?.code == .malformedResponse)
        }
        #expect(gate.failures.first?.failures == 5)
        let refused = try #require(await ask())
        #expect(refused.code == .temporarilyUnavailable && refused.message.contains("answered 200 without tokens"))
    }

    @Test("Failures of one session alone stop no other session, whatever the errors are")
    func oneSession() async throws {
        let timeout = OAuth2Error(
            .endpointUnreachable, "sent", endpoint: endpoint, underlyingError: ConversationError(.timedOut, ""))
        for error in [timeout, down()] {
            for _ in 0..<20 { #expect(await ask(error)?.message == "sent") }
        }
        #expect(gate.failures.first?.failures == 40 && gate.failures.first?.pause == nil)
        // A failure of another session shows that the endpoint itself fails.
        #expect(await ask(down(), of: 1)?.message == "sent")
        #expect(await ask()?.retryAfter == .seconds(1))
    }

    @Test("Above the limit, the endpoint that failed first is forgotten, and a new one is counted")
    func manyEndpoints() async throws {
        func fail(_ endpoint: TargetURL, _ times: Int) async {
            for number in 0..<times {
                try? await gate.pass(to: endpoint, of: sessions[number % 2]) { throw down() }
            }
        }
        for number in 0..<TokenEndpointGate.capacity {
            await fail(try TargetURL("https://as\(number).example.com/token"), 1)
            clock.advance(by: .milliseconds(1))
        }
        await fail(endpoint, 5)
        #expect(gate.failures.count == TokenEndpointGate.capacity)
        #expect(gate.failures.contains { $0.endpoint == endpoint && $0.pause == .seconds(1) })
        #expect(!gate.failures.contains { $0.endpoint.absoluteString == "https://as0.example.com/token" })
        #expect(gate.failures.contains { $0.endpoint.absoluteString == "https://as1.example.com/token" })
    }

    @Test("A proxy that fails stops only the requests that use it")
    func proxies() async throws {
        let proxy = try Origin(scheme: .http, host: "proxy.example.com")
        for number in 0..<5 {
            #expect(await ask(down(), of: number % 2, through: proxy)?.message == "sent")
        }
        #expect(await ask(through: proxy)?.retryAfter == .seconds(1))
        #expect(await ask() == nil)
    }

    @Test("After the pause a single request asks, and a cancelled one leaves its place to the next")
    func oneAtATime() async throws {
        await fail(5)
        clock.advance(by: .seconds(1))
        let (entered, entering) = AsyncStream<Void>.makeStream()
        let trial = Task { [gate, endpoint, sessions] in
            try await gate.pass(to: endpoint, of: sessions[0]) {
                entering.yield()
                try await Task.sleep(for: .seconds(60))
            }
        }
        for await _ in entered { break }
        let refused = try #require(await ask())
        #expect(refused.code == .temporarilyUnavailable && refused.message.contains("another request"))
        trial.cancel()
        await #expect(throws: CancellationError.self) { try await trial.value }
        #expect(await ask() == nil)
        #expect(gate.failures.isEmpty)
    }
}

/// A hundred users of a service, at an authorization server that is down for a while.
@Suite("OAuth2: a storm of users", .landscape, .timeLimit(.minutes(2))) struct TokenStormTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    private func users(_ transport: NIOTransport) -> UserSessions<Int> {
        UserSessions(transport: transport) { [landscape] _ in
            var configurator = CommonAuthenticationConfigurator()
            configurator.add(
                oauth2: try ConfiguredOAuth2ServerSupport(
                    name: "api", tokenOrigins: [try TargetURL(landscape.urlString()).origin],
                    configuration: try OAuth2Configuration(
                        clientID: "native", tokenEndpoint: landscape.issuer() + "/token", scopes: ["read"],
                        grant: .password(UsernamePassword(username: "alice", password: "wonderland")))))
            return .init(applying: [configurator])
        }
    }

    /// The statuses of a request for each user, all at once; 0 for an error of the login.
    private func ask(_ users: UserSessions<Int>, _ count: Int) async -> [Int: Int] {
        await withTaskGroup(of: Int.self) { group in
            for user in 0..<count {
                group.addTask { [url = landscape.urlString(.main, "/api/storm")] in
                    (try? await users.manager(of: user).get(url).status.code) ?? 0
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
    }

    @Test("100 users leave a server that is down alone, and each logs in once when it is back")
    func storm() async throws {
        var configuration = NIOTransport.Configuration()
        configuration.tls.trustRoots = .pem(Array(landscape.certificates.authorityPEM.utf8))
        let transport = NIOTransport(configuration: configuration)
        let users = users(transport)
        landscape.failTokenRequests(.unavailable, times: nil)
        #expect(await ask(users, 100) == [0: 100])
        // Requests that were under way when the fifth failed are among the first ones.
        let first = landscape.oauthCounters.tokenRequests
        #expect(OAuth2EndpointFailure.all.contains { $0.endpoint.absoluteString == landscape.issuer() + "/token" })
        #expect(await ask(users, 100) == [0: 100])
        #expect(landscape.oauthCounters.tokenRequests - first <= 1)

        landscape.clearOAuthFaults()
        let before = landscape.oauthCounters
        var seen: [Int: Int] = [:]
        // A session that was refused waits for its own pause, too.
        while seen != [200: 100] {
            try await Task.sleep(for: .milliseconds(200))
            seen = await ask(users, 100)
        }
        let after = landscape.oauthCounters
        #expect(after.grants["password", default: 0] - before.grants["password", default: 0] == 100)
        #expect(after.tokenRequests - before.tokenRequests <= 101)
        await transport.shutdown()
    }
}
