import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct ProxyPasswordTests {
    /// A proxy that asks for a login, as a transport.
    private static func transport(
        _ challenge: String, _ isRight: @escaping @Sendable (_ value: String) -> Bool
    ) -> ScriptedTransport {
        ScriptedTransport(capabilities: [.streamingRequests, .streamingResponses, .proxies]) {
            request, _ throws(ConversationError) in
            if let value = request.headerFields[.proxyAuthorization], isRight(value) { return .init(.ok) }
            return .init(.proxyAuthenticationRequired, [.proxyAuthenticate: challenge])
        }
    }

    private static func manager(
        _ transport: ScriptedTransport, _ server: ProxyServer, _ observer: (any ConversationObserver)? = nil,
        _ configurator: CommonAuthenticationConfigurator = CommonAuthenticationConfigurator()
    ) -> HttpConversationManager {
        var configuration = HttpConversationManager.Configuration(applying: [configurator])
        configuration.proxies = .always(server)
        if let observer { configuration.observers.add(observer) }
        return HttpConversationManager(transport: transport, configuration: configuration)
    }

    private static func values(_ transport: ScriptedTransport) -> [String?] {
        transport.requests.map { $0.headerFields[.proxyAuthorization] }
    }

    /// Sending it is common practice; it is reported once.
    @Test(arguments: [
        (ProxyServer.Kind.http, "proxy.example", 1), (.https, "proxy.example", 0), (.http, "127.0.0.1", 0),
    ]) func basicOverPlainHTTPIsNoted(kind: ProxyServer.Kind, host: String, count: Int) async throws {
        let secret = "Basic " + Data("alice:pw".utf8).base64EncodedString()
        let transport = Self.transport("Basic realm=P") { $0 == secret }
        let observer = RecordingObserver()
        let login = ProxyLogin(username: "alice", password: "pw")
        let manager = Self.manager(transport, try ProxyServer(kind, host: host, login: login), observer)
        for _ in 0..<3 { #expect(try await manager.get("http://h.example/").status == .ok) }
        #expect(Self.values(transport) == [nil, secret, secret, secret])
        let notes = observer.logins.compactMap { if case .passwordInTheClear(let space) = $0 { space } else { nil } }
        #expect(notes.count == count)
        #expect(notes.allSatisfy { $0.isProxy && $0.origin.host == "proxy.example" })
    }

    /// Beyond ASCII a proxy may expect either encoding, like a server.
    @Test func theOtherEncodingIsTried() async throws {
        let secret = "Basic " + Data("alice:p\u{E4}ss".utf8).base64EncodedString()
        let transport = Self.transport("Basic realm=P") { $0 == secret }
        let login = ProxyLogin(username: "alice", password: "p\u{E4}ss")
        let manager = Self.manager(transport, try ProxyServer(.http, host: "127.0.0.1", login: login))
        #expect(try await manager.get("http://h.example/").status == .ok)
        #expect(transport.requests.count == 3)
    }

    /// The proof covers the target as the proxy reads it: the whole URL (RFC 7616 §3.4).
    @Test func digestIsAboutTheWholeURL() async throws {
        let transport = Self.transport("Digest realm=P, nonce=n, qop=auth") {
            $0.contains("uri=\"http://h.example/a?b=c\"")
        }
        let login = ProxyLogin(username: "alice", password: "pw")
        let manager = Self.manager(transport, try ProxyServer(.http, host: "127.0.0.1", login: login))
        #expect(try await manager.get("http://h.example/a?b=c").status == .ok)
        #expect(transport.requests.allSatisfy { $0.headerFields[.authorization] == nil })
    }

    /// Providers are asked once for all requests, and only those that accept the proxy. A configured login comes first.
    @Test func providersWhoKnowProxies() async throws {
        struct Office: UsernamePasswordProvider {
            let provider: CountingProvider
            func serves(_ destination: CredentialDestination) -> Bool { false }
            func serves(_ proxy: ProxyServer) -> Bool { proxy.origin.host == "127.0.0.1" }
            func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
                #expect(challenge.proxy?.origin.host == "127.0.0.1")
                return try await provider.credential(for: challenge)
            }
        }
        let secret = "Basic " + Data("alice:right".utf8).base64EncodedString()
        // All requests are challenged at the same time: a later one would not try the configured login.
        let (count, plain, all) = (20, Box(0), Gate())
        let transport = ScriptedTransport(capabilities: [.streamingRequests, .streamingResponses, .proxies]) {
            request, _ throws(ConversationError) in
            let value = request.headerFields[.proxyAuthorization]
            if value == secret { return .init(.ok) }
            if value == nil { plain.update { $0 += 1 } }
            if plain.value == count { all.open() }
            await all.pass()
            return .init(.proxyAuthenticationRequired, [.proxyAuthenticate: "Basic realm=P"])
        }
        let (office, other) = (CountingProvider("alice", "right"), CountingProvider("alice", "server"))
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(other)
        configurator.add(Office(provider: office))
        let login = ProxyLogin(username: "alice", password: "wrong")
        let manager = Self.manager(
            transport, try ProxyServer(.http, host: "127.0.0.1", login: login), nil, configurator)
        let results = await manager.getAll((0..<count).map { "http://h\($0).example/" })
        #expect(try results.map { try $0.get().status.code } == Array(repeating: 200, count: count))
        #expect((office.count, other.count) == (1, 0))
        let wrong = "Basic " + Data("alice:wrong".utf8).base64EncodedString()
        #expect(Self.values(transport).filter { $0 == wrong }.count == 1)
    }

    /// Each attempt brings the account closer to being locked. A corrected password is another login.
    @Test(arguments: ["Basic realm=P", "Digest realm=P, nonce=n, qop=auth"])
    func aRefusedLoginIsNotSentForTheNextURL(challenge: String) async throws {
        let transport = Self.transport(challenge) { $0.contains("username=\"bob\"") || $0 == "Basic Ym9iOnB3" }
        func proxy(_ name: String) throws -> ProxyServer {
            try ProxyServer(.http, host: "127.0.0.1", login: ProxyLogin(username: name, password: "pw"))
        }
        let manager = Self.manager(transport, try proxy("alice"))
        for number in 0..<4 {
            let response = try await manager.get("http://h.example/\(number)")
            #expect(response.status == .proxyAuthenticationRequired)
        }
        #expect(Self.values(transport).compactMap(\.self).count == 1)
        #expect(transport.requests.count == 5)
        let other = try proxy("bob")
        manager.update { $0.proxies = .always(other) }
        #expect(try await manager.get("http://h.example/").status == .ok)
    }

    /// A refusal that asks for no login, or for another one, counts as well.
    @Test(
        arguments: [
            ("Basic realm=P", nil), ("Basic realm=P", "Bearer"), ("Digest realm=P, nonce=n, qop=auth", nil),
            ("Digest realm=P, nonce=n, qop=auth", "Negotiate"), ("Digest realm=P, nonce=n, qop=auth", "Basic realm=P"),
        ] as [(String, String?)]) func aLoginRefusedWithoutItsChallengeIsNotSentForTheNextURL(
            first: String, then: String?
        ) async throws
    {
        let transport = ScriptedTransport(capabilities: [.streamingRequests, .streamingResponses, .proxies]) {
            request, _ throws(ConversationError) in
            let challenge = request.headerFields.contains(.proxyAuthorization) ? then : first
            return .init(.proxyAuthenticationRequired, challenge.map { [.proxyAuthenticate: $0] } ?? [:])
        }
        let login = ProxyLogin(username: "alice", password: "pw")
        let manager = Self.manager(transport, try ProxyServer(.http, host: "127.0.0.1", login: login))
        for number in 1...4 {
            let response = try await manager.get("http://h.example/\(number)")
            #expect(response.status == .proxyAuthenticationRequired)
        }
        #expect(Self.values(transport).map { $0 != nil } == [false, true, false, false, false])
    }

    /// The proxy may have failed: the next request tries the login, and its outcome counts.
    @Test(arguments: [1, 2]) func anAcceptedLoginIsTriedOnceMore(refusals: Int) async throws {
        let (secret, left) = ("Basic " + Data("alice:pw".utf8).base64EncodedString(), Box(0))
        let transport = Self.transport("Basic realm=P") { value in
            let isRight = value == secret && left.value == 0
            left.update { $0 = max(0, $0 - 1) }
            return isRight
        }
        let login = ProxyLogin(username: "alice", password: "pw")
        let manager = Self.manager(transport, try ProxyServer(.http, host: "127.0.0.1", login: login))
        var statuses: [Int] = []
        for number in 0..<4 {
            if number == 1 { left.update { $0 = refusals } }
            statuses.append(try await manager.get("http://h.example/\(number)").status.code)
        }
        #expect(statuses == (refusals == 1 ? [200, 407, 200, 200] : [200, 407, 407, 407]))
        #expect(
            Self.values(transport)
                == [nil, secret, secret, nil, secret] + (refusals == 1 ? [secret] : [nil]))
    }

    /// Its repetition may wait for a request that would wait for it, such as for the outcome of a password that is sent
    /// ahead.
    @Test func aStaleNonceKeepsNoOtherRequestWaiting() async throws {
        struct Other: RequestFilter {
            let manager: HttpConversationManager
            let exchanges = Box(0)
            let statuses = Box([Int]())

            func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
                exchanges.update { $0 += 1 }
                guard exchanges.value == 3 else { return }
                let status = try await manager.get("http://h.example/other").status.code
                statuses.update { $0.append(status) }
            }
        }
        let transport = ScriptedTransport(capabilities: [.streamingRequests, .streamingResponses, .proxies]) {
            request, _ throws(ConversationError) in
            let value = request.headerFields[.proxyAuthorization] ?? ""
            if value.contains("nonce=\"new\"") { return .init(.ok) }
            let isStale = value.contains("nonce=\"old\"")
            let nonce = request.target.path == "/stale" && !isStale ? "old" : "new"
            let challenge = "Digest realm=P, nonce=\(nonce), qop=auth" + (isStale ? ", stale=true" : "")
            return .init(.proxyAuthenticationRequired, [.proxyAuthenticate: challenge])
        }
        let login = ProxyLogin(username: "alice", password: "pw")
        let manager = Self.manager(transport, try ProxyServer(.http, host: "127.0.0.1", login: login))
        let other = Other(manager: manager)
        var configuration = manager.configuration
        configuration.requestFilters.add(other)
        let stale = HttpConversationManager(transport: transport, configuration: configuration)
        #expect(try await stale.get("http://h.example/stale").status == .ok)
        #expect(other.statuses.value == [200] && other.exchanges.value == 3)
    }

    @Test func filtersForProxiesCanBeRemoved() async throws {
        let transport = Self.transport("Basic realm=P") { _ in true }
        let login = ProxyLogin(username: "alice", password: "pw")
        let manager = Self.manager(transport, try ProxyServer(.http, host: "127.0.0.1", login: login))
        manager.update { $0.remove(id: FlowID.proxyLogin) }
        #expect(try await manager.get("http://h.example/").status == .proxyAuthenticationRequired)
    }
}
