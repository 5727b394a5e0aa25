import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConversationLoopTests {
    private typealias Answer = ScriptedTransport.Answer

    private static func get(_ url: String = "http://h/x") throws -> HTTPRequest { try HTTPRequest(.get, url) }

    // MARK: Filters

    @Test func filtersRunInOrderOfAddition() async throws {
        let order = Box<[String]>([])
        let transport = ScriptedTransport { _, _ in Answer(.ok) }
        let manager = testManager(transport) { configuration in
            for name in ["first", "second"] {
                let filter = TestFilter(
                    onPrepare: { _, _ in order.update { $0.append("prepare \(name)") } },
                    onAuthorize: { _, _ in order.update { $0.append("authorize \(name)") } },
                    onResponse: { _, _ in
                        order.update { $0.append("response \(name)") }
                        return .proceed
                    })
                configuration.requestFilters.add(filter, id: name)
                configuration.responseFilters.add(filter, id: name)
            }
        }
        _ = try await manager.data(for: Self.get())
        let expected = ["prepare", "authorize", "response"].flatMap { ["\($0) first", "\($0) second"] }
        #expect(order.value == expected)
    }

    @Test func prepareRunsOncePerAttemptAndAuthorizeBeforeEveryExchange() async throws {
        let counts = Box((prepare: 0, authorize: 0))
        let transport = ScriptedTransport { request, index in
            index < 2 ? Answer(.found, [.location: "/hop\(index)"]) : Answer(.ok)
        }
        let restarts = Box(1)
        let manager = testManager(transport) { configuration in
            let filter = TestFilter(
                onPrepare: { _, _ in counts.update { $0.prepare += 1 } },
                onAuthorize: { _, _ in counts.update { $0.authorize += 1 } },
                onResponse: { _, _ in
                    restarts.update { $0 -= 1 }
                    return restarts.value >= 0 ? .restart(reason: "once more") : .proceed
                })
            configuration.requestFilters.add(filter)
            configuration.responseFilters.add(filter)
        }
        let response = try await manager.data(for: Self.get())
        #expect(counts.value == (2, 4))
        #expect(
            transport.requests.map(\.line) == [
                "GET http://h/x", "GET http://h/hop0", "GET http://h/hop1", "GET http://h/x",
            ])
        #expect(response.attempts.map(\.reason) == ["first", "once more"])
    }

    @Test func prepareBeginsWithTheCallersRequest() async throws {
        let transport = ScriptedTransport { _, _ in Answer(.ok) }
        let isDone = Box(false)
        let manager = testManager(transport) { configuration in
            configuration.requestFilters.add(
                TestFilter(onPrepare: { request, _ in
                    request.headerFields.append(HTTPField(name: .apiKey, value: "k"))
                }))
            configuration.responseFilters.add(
                TestFilter(onResponse: { _, _ in
                    defer { isDone.update { $0 = true } }
                    return isDone.value ? .proceed : .restart(reason: "again")
                }))
        }
        _ = try await manager.data(for: Self.get())
        #expect(transport.requests.map { $0.headerFields[values: .apiKey].count } == [1, 1])
    }

    @Test func aRunningConversationKeepsItsFilters() async throws {
        let seen = Box(0)
        let managerBox = Box<HttpConversationManager?>(nil)
        let transport = ScriptedTransport { _, index in
            if index == 0 { managerBox.value?.update { $0.responseFilters.remove(id: "counter") } }
            return Answer(.ok)
        }
        let manager = testManager(transport) { configuration in
            configuration.responseFilters.add(
                TestFilter(onResponse: { _, _ in
                    seen.update { $0 += 1 }
                    return .proceed
                }), id: "counter")
        }
        managerBox.update { $0 = manager }
        _ = try await manager.data(for: Self.get())
        #expect(seen.value == 1)
        _ = try await manager.data(for: Self.get())
        #expect(seen.value == 1)
    }

    @Test func equalIdsReplaceAndCanBeListedAndRemoved() {
        var list = FilterList<any ResponseFilter>()
        list.add(TestFilter(), id: "a")
        list.add(TestFilter(), id: "b")
        list.add(TestFilter(), id: "a")
        list.add(TestFilter())
        list.add(TestFilter())
        #expect(list.ids.count == 4)
        #expect(list.ids.prefix(2) == ["a", "b"])
        #expect(list.all(of: TestFilter.self).count == 4)
        let removals = [list.remove(id: "a"), list.remove(id: "a")]
        #expect(removals == [true, false])
    }

    @Test func theFirstResponseFilterThatDoesNotProceedWins() async throws {
        let later = Box(0)
        let transport = ScriptedTransport { _, _ in Answer(.ok, body: "original") }
        let manager = testManager(transport) { configuration in
            configuration.responseFilters.add(
                TestFilter(onResponse: { response, _ in
                    let start = try await response.peek(upTo: 4)
                    #expect(start == Array("orig".utf8))
                    return .replace(
                        ReplacementResponse(head: HTTPResponse(status: .accepted), body: Array("other".utf8)))
                }), id: "replaces")
            configuration.responseFilters.add(
                TestFilter(onResponse: { _, _ in
                    later.update { $0 += 1 }
                    return .proceed
                }), id: "later")
        }
        let response = try await manager.data(for: Self.get())
        #expect(response.status == .accepted)
        #expect(response.text == "other")
        #expect(later.value == 0)
    }

    @Test func peekingConsumesNothing() async throws {
        let transport = ScriptedTransport { _, _ in Answer(.ok, body: "the whole body") }
        let manager = testManager(transport) { configuration in
            configuration.responseFilters.add(
                TestFilter(onResponse: { response, _ in
                    _ = try await response.peek(upTo: 5)
                    _ = try await response.peek(upTo: 500)
                    return .proceed
                }))
        }
        #expect(try await manager.data(for: Self.get()).text == "the whole body")
    }

    @Test func aThrowingFilterIsNamed() async throws {
        struct Broken: Error {}
        let transport = ScriptedTransport { _, _ in Answer(.ok) }
        let manager = testManager(transport) {
            $0.requestFilters.add(TestFilter(onPrepare: { _, _ in throw Broken() }), id: "the broken one")
        }
        let error = await #expect(throws: ConversationError.self) { try await manager.data(for: Self.get()) }
        #expect(error?.code == .filterFailed)
        #expect(error?.message.contains("the broken one") == true)
        #expect(error?.underlyingError is Broken)
        #expect(error?.conversationID != nil)
    }

    @Test func theContextSurvivesRestartsAndReachesTheCaller() async throws {
        enum Visits: ConversationContextKey { typealias Value = Int }
        let transport = ScriptedTransport { _, _ in Answer(.ok) }
        let manager = testManager(transport) {
            $0.responseFilters.add(
                TestFilter(onResponse: { _, context in
                    let visits = context.update(Visits.self, default: 0) { value in
                        value += 1
                        return value
                    }
                    return visits < 3 ? .restart(reason: "visit \(visits)") : .proceed
                }))
        }
        let response = try await manager.data(for: Self.get())
        #expect(response.context[Visits.self] == 3)
        #expect(response.attempts.count == 3)
    }

    @Test func tooManyAttemptsAreListed() async throws {
        let transport = ScriptedTransport { _, _ in Answer(.ok) }
        let manager = testManager(transport) {
            $0.maximumAttempts = 4
            $0.responseFilters.add(TestFilter(onResponse: { _, _ in .repeatExchange(reason: "never happy") }))
        }
        let error = await #expect(throws: ConversationError.self) { try await manager.data(for: Self.get()) }
        #expect(error?.code == .tooManyAttempts)
        #expect(error?.attempts.map(\.reason) == ["first", "never happy", "never happy", "never happy"])
        #expect(error?.attempts.map(\.status) == [200, 200, 200, 200])
        #expect(transport.requests.count == 4)
    }

    // MARK: Authorization

    @Test func theCallersAuthorizationWinsOnTheFirstExchangeAndTheFirstFilterOverLaterOnes() async throws {
        let transport = ScriptedTransport { _, _ in Answer(.ok) }
        let manager = testManager(transport) { configuration in
            for name in ["a", "b"] {
                configuration.requestFilters.add(
                    TestFilter(onAuthorize: { request, _ in request.headerFields[.authorization] = name }), id: name)
            }
        }
        var request = try Self.get()
        _ = try await manager.data(for: request)
        request.headerFields[.authorization] = "own"
        _ = try await manager.data(for: request)
        #expect(transport.requests.map(\.authorization) == ["a", "own"])
    }

    @Test func theAnswerReplacesARefusedAuthorizationOfTheCaller() async throws {
        let transport = ScriptedTransport { request, _ in
            request.authorization == "Basic right"
                ? Answer(.ok) : Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=r"])
        }
        let manager = testManager(transport) {
            $0.challengeFilters.add(
                TestFilter(onChallenge: { _, _ in .use(TokenCredential(token: "right"), .conversation) }))
        }
        var request = try Self.get()
        request.headerFields[.authorization] = "Basic wrong"
        #expect(try await manager.data(for: request).status == .ok)
        #expect(transport.requests.map(\.authorization) == ["Basic wrong", "Basic right"])
    }

    // MARK: Children, handles, cancellation

    @Test func childConversationsInheritNothing() async throws {
        let transport = ScriptedTransport { request, _ in
            Answer(.ok, [.setCookie: "sid=\(request.target.path.dropFirst())"], body: "token")
        }
        let observer = RecordingObserver()
        let manager = testManager(transport) {
            $0.observers.add(observer)
            $0.requestFilters.add(
                TestFilter(onAuthorize: { request, context in
                    let child = try await context.start(
                        try HTTPRequest(.post, "http://idp/token"), body: .text("grant"))
                    request.headerFields[.authorization] = "Bearer \(child.text)"
                }))
        }
        manager.configuration.session.cookies.store(setCookie: ["sid=secret"], from: try TargetURL("http://idp/"))
        let response = try await manager.data(for: Self.get())
        #expect(transport.requests.map(\.line) == ["POST http://idp/token", "GET http://h/x"])
        #expect(transport.requests[0].headerFields[.cookie] == nil)
        #expect(transport.requests[1].authorization == "Bearer token")
        let parents = Set(observer.events.compactMap(\.parentID))
        #expect(parents == [response.id])
        #expect(observer.violations == [])
        let stored = manager.configuration.session.cookies.snapshot.cookies.map(\.value)
        #expect(stored.sorted() == ["secret", "x"])
    }

    /// A child has its parent's decisions about servers, so that it uses the same connections, unless it has other
    /// filters for them.
    @Test(arguments: [false, true]) func childrenShareTheDecisionsAboutServers(hasOthers: Bool) async throws {
        let transport = ScriptedTransport(capabilities: .serverTrust) { _, _ in Answer(.ok) }
        let manager = testManager(transport) {
            $0.challengeFilters.add(TestFilter(handles: [.serverTrust, .basic]))
            $0.requestFilters.add(
                TestFilter(onAuthorize: { _, context in
                    _ = try await context.start(HTTPRequest(.get, "https://h/child")) {
                        if hasOthers { $0.challengeFilters.add(TestFilter(handles: [.serverTrust]), id: "other") }
                    }
                }))
        }
        _ = try await manager.get("https://h/")
        #expect(transport.requests.map(\.target.path) == ["/child", "/"])
        let policies = transport.requests.compactMap(\.options.serverTrust)
        #expect(policies.count == 2)
        #expect((policies.first == policies.last) == !hasOthers)
    }

    /// So do a copy of the manager and a changed configuration, unless they have other filters for them, or another
    /// person.
    @Test func copiesShareTheDecisionsAboutServers() async throws {
        let transport = ScriptedTransport(capabilities: .serverTrust) { _, _ in Answer(.ok) }
        let manager = testManager(transport) {
            $0.challengeFilters.add(TestFilter(handles: [.serverTrust]), id: "judge")
        }
        let copy = manager.copy()
        copy.update { $0.idleTimeout = .seconds(1) }
        let (another, others) = (manager.copy(), manager.copy())
        another.update { $0.challengeFilters.add(TestFilter(handles: [.serverTrust]), id: "judge") }
        others.update { $0.session = HttpSession() }
        for manager in [manager, copy, another, others] { _ = try await manager.get("https://h/") }
        let policies = transport.requests.compactMap(\.options.serverTrust)
        try #require(policies.count == 4)
        #expect(policies[0] == policies[1])
        #expect(Set(policies).count == 3)
    }

    @Test func handlesGiveIdEventsAndValue() async throws {
        let transport = ScriptedTransport { _, _ in Answer(.ok, body: "hello") }
        let conversation = try testManager(transport).start(Self.get())
        var kinds: [String] = []
        for await event in conversation.events {
            #expect(event.conversationID == conversation.id)
            kinds.append(event.kind.name)
        }
        let response = try await conversation.value
        #expect(response.text == "hello")
        #expect(kinds.first == "conversationStarted")
        #expect(kinds.contains("conversationEnded"))
    }

    @Test func completionFormsAreCalledOnce() async throws {
        let transport = ScriptedTransport { _, _ in Answer(.ok, body: "hello") }
        let manager = testManager(transport)
        let request = try Self.get()
        let result = await withCheckedContinuation { continuation in
            manager.executeRequest(request) { continuation.resume(returning: $0) }
        }
        #expect(try result.get().text == "hello")
        let invalid = HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)
        let refused = await withCheckedContinuation { continuation in
            manager.executeRequest(invalid) { continuation.resume(returning: $0) }
        }
        #expect(throws: ConversationError.self) { try refused.get() }
    }

    /// Cancels at each place where a conversation waits; the places are discovered, not listed.
    @Test func cancellationWorksAtEveryAwait() async throws {
        let places = try await Self.run(cancelAt: nil).places
        #expect(places.count >= 6, "\(places)")
        for index in places.indices {
            let outcome = try await Self.run(cancelAt: index)
            #expect(outcome.error?.code == .cancelled, "cancelled at \(places[index])")
            #expect(outcome.places == Array(places.prefix(through: index)), "went on after \(places[index])")
        }
    }

    /// One conversation with a redirect, a challenge and a restart; every filter and exchange is a place to cancel.
    private static func run(cancelAt index: Int?) async throws -> (places: [String], error: ConversationError?) {
        let places = Box<[String]>([])
        let task = Box<Task<ConversationError?, Never>?>(nil)
        let visit: @Sendable (String) async -> Void = { name in
            places.update { $0.append(name) }
            guard places.value.count - 1 == index else { return }
            while task.value == nil { await Task.yield() }
            task.value?.cancel()
        }
        let transport = ScriptedTransport { request, index in
            await visit("exchange \(index)")
            switch index {
            case 0: return Answer(.found, [.location: "/next"])
            case 1: return Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=r"])
            default: return Answer(.ok)
            }
        }
        let manager = testManager(transport) { configuration in
            let filter = TestFilter(
                onPrepare: { _, _ in await visit("prepare") }, onAuthorize: { _, _ in await visit("authorize") },
                onRedirect: { _, _ in
                    await visit("redirect")
                    return .follow
                },
                onChallenge: { _, _ in
                    await visit("challenge")
                    return .use(TokenCredential(token: "t"), .session)
                },
                onResponse: { _, _ in
                    await visit("response")
                    return .proceed
                })
            configuration.requestFilters.add(filter)
            configuration.redirectFilters.add(filter)
            configuration.challengeFilters.add(filter)
            configuration.responseFilters.add(filter)
        }
        let request = try Self.get()
        let conversation = Task { () async -> ConversationError? in
            do throws(ConversationError) {
                _ = try await manager.data(for: request)
                return nil
            } catch { return error }
        }
        task.update { $0 = conversation }
        return (
            await {
                _ = await conversation.value; return places.value
            }(), await conversation.value
        )
    }

    // MARK: Limits of time

    @Test func interactionHasItsOwnTimeLimit() async throws {
        let transport = ScriptedTransport { _, _ in Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=r"]) }
        let manager = testManager(transport) {
            $0.interactionTimeout = .milliseconds(20)
            $0.challengeFilters.add(
                TestFilter(onChallenge: { _, _ in
                    try await Task.sleep(for: .seconds(3600))
                    return .notHandled
                }))
        }
        let error = await #expect(throws: ConversationError.self) { try await manager.data(for: Self.get()) }
        #expect(error?.code == .timedOut)
        #expect(error?.challenge?.realm == "r")
    }

    @Test func networkTimeDoesNotCountTheWaitForAPerson() async throws {
        let transport = ScriptedTransport { request, _ in
            request.authorization == nil ? Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=r"]) : Answer(.ok)
        }
        let clock = TestClock()
        let manager = testManager(transport) {
            $0.clock = clock
            $0.networkTimeout = .milliseconds(500)
            $0.challengeFilters.add(
                TestFilter(onChallenge: { _, _ in
                    // The person takes longer than the network may.
                    clock.advance(by: .milliseconds(700))
                    return .use(TokenCredential(token: "t"), .conversation)
                }))
        }
        #expect(try await manager.data(for: Self.get()).status == .ok)
        #expect(transport.requests.allSatisfy { ($0.options.timeLimit ?? .seconds(9)) > .zero })
    }
}
