import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

@Suite(.timeLimit(.minutes(1))) struct ProxyChallengeTests {
    typealias Answer = ScriptedTransport.Answer

    private static func configuration(
        _ proxies: ProxySettings, session: HttpSession? = nil, _ filters: any ChallengeFilter...
    ) -> HttpConversationManager.Configuration {
        var configuration = HttpConversationManager.Configuration(session: session)
        configuration.proxies = proxies
        for filter in filters { configuration.challengeFilters.add(filter) }
        return configuration
    }

    private static func configuration(_ filters: any ChallengeFilter...) throws -> HttpConversationManager.Configuration
    {
        var configuration = configuration(.always(try .testing()))
        for filter in filters { configuration.challengeFilters.add(filter) }
        return configuration
    }

    /// A 407 is answered to the proxy alone. An accepted credential is then sent with every request to the proxy.
    @Test(arguments: ["http", "https"]) func aProxyThatAsksGetsItsAnswer(scheme: String) async throws {
        let proxy = ScriptedProxy(accepting: "Basic right")
        let filter = ProxyTokens("right")
        let manager = HttpConversationManager(
            transport: proxy.transport(), configuration: try Self.configuration(filter))
        for path in ["/a/b", "/c"] {
            let response = try await manager.get("\(scheme)://h\(path)")
            #expect(response.status == .ok)
        }
        #expect(try await manager.get("\(scheme)://other/").status == .ok)
        #expect(proxy.values == [nil, "Basic right", "Basic right", "Basic right"])
        #expect(proxy.seen.allSatisfy { $0.inside == nil && $0.authorization == nil })
        #expect(Set(proxy.seen.compactMap(\.source)).count == 1)
        let asked = try #require(filter.asked.value.first)
        #expect(filter.asked.value.count == 1)
        #expect(asked.proxy?.description == "http://proxy:3128")
        #expect(
            asked.space
                == ProtectionSpace(
                    origin: try Origin(scheme: .http, host: "proxy", port: 3128), method: .basic, realm: "P",
                    isProxy: true))
        #expect(!asked.destination.isCallersOwn)
        #expect(manager.configuration.session.cookies.snapshot.cookies.isEmpty)
    }

    /// A login is sent only to a proxy that asks by a scheme, and the message does not say that there is none.
    @Test func aProxyThatDoesNotSayHowGetsNothing() async throws {
        let transport = ScriptedTransport(capabilities: .proxies) { _, _ in
            Answer(.proxyAuthenticationRequired).fromProxy()
        }
        let filter = ProxyTokens("right")
        let manager = HttpConversationManager(transport: transport, configuration: try Self.configuration(filter))
        let error = await #expect(throws: ConversationError.self) { try await manager.get("https://h/") }
        #expect(error?.code == .proxyRefused && error?.message.contains("no challenge") == true)
        #expect(error?.message.contains("there is none for it") == false && filter.asked.value.isEmpty)
    }

    /// Wrong, then right: a refused credential is not sent again.
    @Test(arguments: ["http", "https"]) func aRefusedAnswerIsFollowedByTheNext(scheme: String) async throws {
        let proxy = ScriptedProxy(accepting: "Basic right")
        let manager = HttpConversationManager(
            transport: proxy.transport(), configuration: try Self.configuration(ProxyTokens("wrong", "right")))
        #expect(try await manager.get("\(scheme)://h/").status == .ok)
        #expect(proxy.values == [nil, "Basic wrong", "Basic right"])
    }

    /// Filters for servers get no challenges of proxies, and filters for proxies none of servers.
    @Test func filtersAnswerServersOrProxies() async throws {
        let proxy = ScriptedProxy(accepting: "Basic right") { request in
            request.authorization == "Basic server"
                ? .init(.ok) : .init(.unauthorized, [.wwwAuthenticate: "Basic realm=S"])
        }
        let forServers = TestFilter(onChallenge: { challenge, _ in
            #expect(challenge.proxy == nil)
            return .use(TokenCredential(token: "server"), .session)
        })
        let manager = HttpConversationManager(
            transport: proxy.transport(), configuration: try Self.configuration(forServers, ProxyTokens("right")))
        #expect(try await manager.get("https://h/").status == .ok)
        #expect(proxy.values == [nil, "Basic right", "Basic right"])
        #expect(proxy.seen.map(\.authorization) == [nil, nil, "Basic server"])
    }

    /// Without a proxy, through SOCKS and in a tunnel a 407 is the server's, and is an ordinary response.
    @Test(arguments: [nil, ProxyServer.Kind.http, .https, .socks5]) func a407OfAServerIsDelivered(
        kind: ProxyServer.Kind?
    ) async throws {
        let transport = ScriptedTransport(capabilities: .proxies) { _, _ in
            Answer(
                .proxyAuthenticationRequired, [.proxyAuthenticate: "Basic realm=R", .setCookie: "s=1"], body: "page")
        }
        let filter = ProxyTokens("secret")
        let proxies = try kind.map { ProxySettings.always(try .testing($0)) } ?? .none
        let manager = HttpConversationManager(
            transport: transport, configuration: Self.configuration(proxies, filter))
        let response = try await manager.get("https://h/")
        #expect(response.status == .proxyAuthenticationRequired)
        #expect(filter.asked.value.isEmpty)
        #expect(transport.requests.count == 1)
        #expect(manager.configuration.session.cookies.snapshot.cookies.map(\.name) == ["s"])
    }

    /// A proxy's answer in place of a tunnel is not a page of the server: no cookie, no redirect, no filter.
    @Test(arguments: [HTTPResponse.Status.ok, .found, .forbidden, .badGateway, .unauthorized])
    func anAnswerInsteadOfATunnelIsAnError(status: HTTPResponse.Status) async throws {
        let transport = ScriptedTransport(capabilities: .proxies) { _, _ in
            Answer(
                HTTPResponse.Status(code: status.code, reasonPhrase: "Bad \u{1B}[31m"),
                [.location: "https://evil/", .setCookie: "p=1", .wwwAuthenticate: "Basic realm=R"], body: "page"
            ).fromProxy()
        }
        var configuration = try Self.configuration()
        configuration.add(
            TestFilter(
                onRedirect: { _, _ in
                    Issue.record("redirect")
                    return .follow
                },
                onChallenge: { _, _ in
                    Issue.record("challenge")
                    return .notHandled
                },
                onResponse: { _, _ in
                    Issue.record("response")
                    return .proceed
                }))
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        let error = await #expect(throws: ConversationError.self) { try await manager.get("https://h/") }
        #expect(error?.code == .proxyRefused)
        #expect(error?.message.contains("http://proxy:3128") == true && error?.message.contains("h:443") == true)
        #expect(error?.message.contains("\(status.code) Bad") == true && error?.message.contains("\u{1B}") == false)
        #expect(transport.requests.count == 1)
        #expect(manager.configuration.session.cookies.snapshot.cookies.isEmpty)
    }

    @Test(arguments: [[], ["wrong"]]) func aTunnelWithoutALoginFails(tokens: [String]) async throws {
        let proxy = ScriptedProxy(accepting: "Basic right")
        var filter = ProxyTokens()
        if !tokens.isEmpty { filter = ProxyTokens("wrong") }
        let manager = HttpConversationManager(
            transport: proxy.transport(), configuration: try Self.configuration(filter))
        let error = await #expect(throws: ConversationError.self) { try await manager.get("https://h/") }
        #expect(error?.code == .proxyRefused)
        #expect(error?.message.contains("ProxyServer.login") == true)
        #expect(error?.challenge?.space.isProxy == true)
    }

    /// In absolute form the proxy's response is delivered.
    @Test func anUnanswered407InAbsoluteFormIsDelivered() async throws {
        let proxy = ScriptedProxy(accepting: "Basic right")
        var configuration = try Self.configuration()
        configuration.add(
            TestFilter(onResponse: { _, _ in
                Issue.record("response")
                return .proceed
            }))
        let manager = HttpConversationManager(transport: proxy.transport(), configuration: configuration)
        let response = try await manager.get("http://h/")
        #expect(response.status == .proxyAuthenticationRequired)
        #expect(manager.configuration.session.cookies.snapshot.cookies.isEmpty)
        #expect(proxy.seen.count == 1)
    }

    /// A configured proxy that cannot be used is never bypassed (security rule S25).
    @Test func aTransportWithoutProxiesSendsNothing() async throws {
        let transport = ScriptedTransport { _, _ in Answer(.ok) }
        let manager = HttpConversationManager(transport: transport, configuration: try Self.configuration())
        #expect(await failureCode { try await manager.get("http://h/") } == .invalidConfiguration)
        #expect(transport.requests.isEmpty)
    }

    /// The proxy is chosen anew after a redirect: another proxy gets no credential of the first one's.
    @Test func aRedirectMayUseAnotherProxy() async throws {
        let one = try ProxyServer.testing()
        let other = try ProxyServer.testing(.http, "other")
        let proxy = ScriptedProxy(accepting: "Basic right") { request in
            request.target.path == "/" ? .init(.found, [.location: "https://b/x"]) : .init(.ok)
        }
        let transport = ScriptedTransport(capabilities: .proxies) { request, _ throws(ConversationError) in
            guard request.options.proxy?.server == other else { return try await proxy.answer(request) }
            #expect(request.headerFields[.proxyAuthorization] == nil && request.options.proxy?.authorization == nil)
            return Answer(.ok, body: "through the other")
        }
        let proxies = ProxySettings(http: one, https: other)
        let manager = HttpConversationManager(
            transport: transport, configuration: Self.configuration(proxies, ProxyTokens("right")))
        #expect(try await manager.get("http://a/").text == "through the other")
        #expect(proxy.values == [nil, "Basic right"])
    }

    /// Sessions share no credentials at a proxy either, and have separate tunnels.
    @Test func eachSessionHasItsOwnSources() async throws {
        let proxy = ScriptedProxy(accepting: "Basic right")
        let transport = proxy.transport()
        for _ in 0..<2 {
            let manager = HttpConversationManager(
                transport: transport, configuration: try Self.configuration(ProxyTokens("right")))
            _ = try await manager.get("https://h/")
        }
        #expect(proxy.values == [nil, "Basic right", nil, "Basic right"])
        #expect(Set(proxy.seen.compactMap(\.source)).count == 2)
    }

    /// Once Digest was offered, no password goes there by Basic (security rule S10).
    @Test func noBasicAfterDigest() async throws {
        let transport = ScriptedTransport(capabilities: .proxies) { _, index in
            Answer(
                .proxyAuthenticationRequired,
                [.proxyAuthenticate: index == 0 ? "Digest realm=P, nonce=n" : "Basic realm=P"])
        }
        let filter = ProxyTokens("secret")
        let manager = HttpConversationManager(transport: transport, configuration: try Self.configuration(filter))
        for _ in 0..<2 { _ = try await manager.get("http://h/") }
        #expect(filter.asked.value.isEmpty)
        #expect(transport.requests.allSatisfy { $0.headerFields[.proxyAuthorization] == nil })
    }

    /// A filter's own requests go through the proxy, too, and use its conversation's credentials there.
    @Test func childrenGoThroughTheSameProxy() async throws {
        let proxy = ScriptedProxy(accepting: "Basic right")
        let filter = ProxyTokens("right")
        var configuration = try Self.configuration(filter)
        configuration.add(
            TestFilter(onAuthorize: { _, context in
                _ = try await context.start(HTTPRequest(.get, "https://child/"))
            }))
        let manager = HttpConversationManager(transport: proxy.transport(), configuration: configuration)
        #expect(try await manager.get("https://h/").status == .ok)
        #expect(proxy.seen.map(\.target.origin.host) == ["child", "child", "h"])
        #expect(proxy.values == [nil, "Basic right", "Basic right"])
        #expect(filter.asked.value.count == 1)
        #expect(Set(proxy.seen.compactMap(\.source)).count == 1)
    }

    @Test func aFieldOfTheCallersIsRefused() async throws {
        let manager = HttpConversationManager(
            transport: ScriptedProxy(accepting: nil).transport(), configuration: try Self.configuration())
        let error = await #expect(throws: ConversationError.self) {
            try await manager.data(for: HTTPRequest(.get, "http://h/", fields: [.proxyAuthorization: "Basic mine"]))
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("mine") == false)
    }

    /// `Proxy-Authorization` of a filter is dropped: the filter does not know the receiver. The caller's own
    /// `Authorization` is for the server and stays.
    @Test func fieldsOfFiltersAndCallers() async throws {
        let proxy = ScriptedProxy(accepting: "Basic right")
        var configuration = try Self.configuration(ProxyTokens("right"))
        configuration.add(
            TestFilter(onAuthorize: { request, _ in request.headerFields[.proxyAuthorization] = "Basic filter" }))
        let manager = HttpConversationManager(transport: proxy.transport(), configuration: configuration)
        let request = try HTTPRequest(.get, "http://h/", fields: [.authorization: "Bearer mine"])
        #expect(try await manager.data(for: request).status == .ok)
        #expect(proxy.values == [nil, "Basic right"])
        #expect(proxy.seen.map(\.authorization) == ["Bearer mine", "Bearer mine"])
    }

    /// Observers learn the proxy's name, and nothing of its login.
    @Test func observersAreToldOfTheProxy() async throws {
        let proxy = ScriptedProxy(accepting: "Basic right")
        let login = ProxyLogin(username: "canary-user", password: "canary-pass")
        var configuration = Self.configuration(.always(try .testing(login: login)), ProxyTokens("right"))
        let recorder = TranscriptRecorder()
        let observer = RecordingObserver()
        configuration.observers.add(recorder)
        configuration.observers.add(observer)
        let manager = HttpConversationManager(transport: proxy.transport(), configuration: configuration)
        _ = try await manager.get("http://h/")
        let transcript = recorder.transcript
        #expect(
            transcript.entries.filter { $0.kind == "exchangeStarted" }.map(\.proxy)
                == Array(repeating: "http://proxy:3128", count: 2))
        let texts = observer.events.map { "\($0) \(String(reflecting: $0))" } + ["\(transcript)"]
        #expect(texts.allSatisfy { !$0.contains("canary") && !$0.contains("right") })
        #expect(texts.contains { $0.contains("through http://proxy:3128") })
        var dumped = ""
        dump(try ProxyServer.testing(login: login), to: &dumped)
        dump(observer.events, to: &dumped)
        #expect(!dumped.contains("canary"))
    }
}
