import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

@Suite(.timeLimit(.minutes(1))) struct ParallelProxyTests {
    /// Many conversations at a proxy: one tries a credential, and the others wait for the outcome.
    @Test(arguments: ["http", "https"]) func onlyOneTriesAPassword(scheme: String) async throws {
        let count = 20
        let proxy = ScriptedProxy(accepting: "Basic right")
        let all = Gate()
        let first = Gate()
        let tried = Box(0)
        let transport = ScriptedTransport(capabilities: .proxies) { request, index throws(ConversationError) in
            let answer = try await proxy.answer(request)
            if index == count - 1 { all.open() }
            if index < count {
                try? await all.wait()
            } else {
                tried.update { $0 += 1 }
                // A conversation that did not wait for the first would get here, too.
                if index == count { try? await first.wait() }
            }
            return answer
        }
        var configuration = HttpConversationManager.Configuration()
        configuration.proxies = .always(try .testing())
        configuration.challengeFilters.add(ProxyTokens("right"))
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        let space = ProtectionSpace(
            origin: try Origin(scheme: .http, host: "proxy", port: 3128), method: .basic, realm: "P", isProxy: true)
        let store = manager.configuration.session.credentials
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<count {
                group.addTask { try await manager.get("\(scheme)://h\(index)/").status.code }
            }
            while store.waiterCount(on: space) < count - 1 { await Task.yield() }
            #expect(tried.value == 1)
            first.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: count))
        #expect(proxy.values.filter { $0 == nil }.count == count)
        #expect(proxy.values.filter { $0 == "Basic right" }.count == count)
    }

    /// A wrong credential costs one failed login, for any number of waiters.
    @Test func aWrongPasswordIsTriedOnce() async throws {
        let proxy = ScriptedProxy(accepting: "Basic right")
        var configuration = HttpConversationManager.Configuration()
        configuration.proxies = .always(try .testing())
        configuration.challengeFilters.add(ProxyTokens("wrong", "right"))
        let manager = HttpConversationManager(transport: proxy.transport(), configuration: configuration)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<20 { group.addTask { try await manager.get("https://h\(index)/").status.code } }
            for try await status in group { #expect(status == 200) }
        }
        #expect(proxy.values.filter { $0 == "Basic wrong" }.count == 1)
    }

    /// A proxy that is overloaded, or refuses the request before it looks at the login, has accepted none: the others do
    /// not send a wrong one after it.
    @Test(arguments: [408, 411, 413, 414, 417, 421, 425, 429, 431, 511], ["http", "https"])
    func aProxyThatDoesNotLookAcceptsNothing(code: Int, scheme: String) async throws {
        let proxy = ScriptedProxy(accepting: "Basic right")
        let isFirst = Box(true)
        let transport = ScriptedTransport(capabilities: .proxies) { request, _ throws(ConversationError) in
            let answer = try await proxy.answer(request)
            guard proxy.seen.last?.atProxy != nil, isFirst.value else { return answer }
            isFirst.update { $0 = false }
            let refusal = ScriptedTransport.Answer(HTTPResponse.Status(code: code))
            return scheme == "https" ? refusal.fromProxy() : refusal
        }
        var configuration = HttpConversationManager.Configuration()
        configuration.proxies = .always(try .testing())
        configuration.challengeFilters.add(ProxyTokens("wrong"))
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        for index in 0..<2 { _ = try? await manager.get("\(scheme)://h\(index)/") }
        // An accepted credential would have been sent ahead by the second request.
        #expect(proxy.values == [nil, "Basic wrong", nil, "Basic wrong"])
    }

    /// About a server that it cannot reach, a proxy speaks only after it has accepted the login.
    @Test(arguments: [502, 503, 504], ["http", "https"])
    func aProxyWithoutTheServerHasAcceptedTheLogin(code: Int, scheme: String) async throws {
        let proxy = ScriptedProxy(accepting: "Basic right") { request in
            let refusal = ScriptedTransport.Answer(HTTPResponse.Status(code: code))
            return request.target.origin.scheme == .https ? refusal.fromProxy() : refusal
        }
        let filter = ProxyTokens("right")
        var configuration = HttpConversationManager.Configuration()
        configuration.proxies = .always(try .testing())
        configuration.challengeFilters.add(filter)
        let manager = HttpConversationManager(transport: proxy.transport(), configuration: configuration)
        for index in 0..<2 { _ = try? await manager.get("\(scheme)://h\(index)/") }
        #expect(proxy.values == [nil, "Basic right", "Basic right"])
        #expect(filter.asked.value.count == 1)
    }

    /// A conversation that was given a wrong credential sends the right one if others have found it meanwhile.
    @Test(arguments: [CredentialPersistence.session, .conversation]) func aWrongPasswordIsNotTriedLater(
        persistence: CredentialPersistence
    ) async throws {
        let proxy = ScriptedProxy(accepting: "Basic right")
        let (isAsked, mayAnswer) = (Gate(), Gate())
        var configuration = HttpConversationManager.Configuration()
        configuration.proxies = .always(try .testing())
        configuration.challengeFilters.add(
            ProxyTokens("wrong", "right", persistence: persistence) { challenge in
                guard challenge.target.origin.host == "late", challenge.previousFailureCount == 0 else { return }
                isAsked.open()
                try? await mayAnswer.wait()
            })
        let manager = HttpConversationManager(transport: proxy.transport(), configuration: configuration)
        async let late = manager.get("https://late/")
        try await isAsked.wait()
        #expect(try await manager.get("https://early/").status == .ok)
        mayAnswer.open()
        #expect(try await late.status == .ok)
        #expect(proxy.values == [nil, nil, "Basic wrong", "Basic right", "Basic right"])
    }

    /// A request that must come first and goes through the same proxy: no deadlock between the two.
    @Test func aChildDuringTheTrial() async throws {
        let proxy = ScriptedProxy(accepting: "Basic right")
        var configuration = HttpConversationManager.Configuration()
        configuration.proxies = .always(try .testing())
        configuration.challengeFilters.add(ProxyTokens("right"))
        configuration.add(
            TestFilter(onAuthorize: { _, context in
                // Only once there is a credential for the proxy.
                guard proxy.seen.contains(where: { $0.target.origin.host == "h" }) else { return }
                _ = try await context.start(HTTPRequest(.get, "https://child/"))
            }))
        let manager = HttpConversationManager(transport: proxy.transport(), configuration: configuration)
        #expect(try await manager.get("https://h/").status == .ok)
        #expect(proxy.seen.map(\.target.origin.host) == ["h", "child", "child", "h"])
    }
}
