import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

/// Delegates see each hop, and may change a redirect within limits.
@Suite("Delegates and hops", .timeLimit(.minutes(1))) struct DelegatedRedirectTests {
    private typealias Answer = ScriptedTransport.Answer

    private static func transport(_ status: Int = 302, _ location: String = "https://other.example.com/b")
        -> ScriptedTransport
    {
        ScriptedTransport { request, index in
            index == 0 ? Answer(.init(code: status), [.location: location]) : Answer(.ok, body: "there")
        }
    }

    private static func request(_ method: HTTPRequest.Method = .get) throws -> HTTPRequest {
        try HTTPRequest(method, "https://h.example.com/a")
    }

    @Test("see every hop, each challenge and the metrics, without credentials and cookies")
    func delegatesSeeExchanges() async throws {
        let transport = ScriptedTransport { request, _ in
            if request.target.path == "/a" { return Answer(.found, [.location: "/b"]) }
            let isKnown = request.headerFields.contains(.authorization)
            return isKnown
                ? Answer(.ok, body: "there")
                : Answer(.unauthorized, [.wwwAuthenticate: "Custom realm=\"r\""], body: "?")
        }
        let delegate = RecordingDelegate()
        let manager = testManager(transport) { $0.add(Answering()) }
        _ = try await manager.data(for: Self.request(), delegate: delegate)
        let (a, b) = ("https://h.example.com/a", "https://h.example.com/b")
        #expect(
            delegate.hops.map { $0.hasPrefix("challenged") ? "challenged" : $0 }
                == ["GET \(a)", "302 of \(a)", "GET \(b)", "401 of \(b)", "challenged", "GET \(b)", "200 of \(b)"])
        let metrics = try #require(delegate.metrics.first)
        #expect(delegate.metrics.count == 1)
        #expect(metrics.exchanges.map(\.status) == [.found, .unauthorized, .ok])
        #expect(metrics.exchanges.map(\.target.absoluteString) == [a, b, b])
        #expect(
            metrics.exchanges.allSatisfy {
                $0.start <= $0.answered ?? .zero && $0.answered ?? .zero <= metrics.duration
            })
        #expect(metrics.bytesReceived == 5)
    }

    private struct Answering: ChallengeFilter {
        let handles: Set = [AuthenticationMethod("custom")]
        func answer(_ challenge: AuthenticationChallenge, in context: ConversationContext) -> ChallengeAnswer {
            .authorization(for: challenge) { _ in "Custom yes" }
        }
    }

    @Test("may change the request of a redirect; the manager's delegate gets the changed request")
    func delegatesChangeRequests() async throws {
        let transport = Self.transport(303, "/b")
        var (own, managers) = (RecordingDelegate(), RecordingDelegate())
        own.next = { request in
            var request = request
            request.method = .post
            request.body = .text("again")
            request.target = (try? request.target.with(path: "/c")) ?? request.target
            return request
        }
        managers.next = { request in
            var request = request
            request.headerFields[.accept] = "\(request.method.rawValue) \(request.target.path)"
            return request
        }
        let manager = testManager(transport) { [managers] in $0.delegate = managers }
        _ = try await manager.data(for: Self.request(.post), body: .text("once"), delegate: own)
        let next = transport.requests[1]
        #expect(next.target.absoluteString == "https://h.example.com/c")
        #expect(next.method == .post)
        #expect(next.headerFields[.accept] == "POST /c")
        #expect(transport.bodies.map { String(decoding: $0, as: UTF8.self) } == ["once", "again"])
    }

    @Test("nil delivers the 3xx")
    func delegatesStopConversations() async throws {
        var delegate = RecordingDelegate()
        delegate.next = { _ in nil }
        let response = try await testManager(Self.transport()).data(for: Self.request(), delegate: delegate)
        #expect(response.status == .found)
    }

    @Test(
        "cannot lead from https to http, past the whitelist, or to a URL with a password",
        arguments: [
            ("http://h.example.com/", ConversationError.Code.redirectRefused),
            ("https://forbidden.example.com/", .redirectRefused), ("https://u:p@h.example.com/", .invalidURL),
        ])
    func refused(_ url: String, _ code: ConversationError.Code) async throws {
        let transport = Self.transport(302, "/b")
        let target = try TargetURL(url)
        var delegate = RecordingDelegate()
        delegate.next = { request in
            var request = request
            request.target = target
            return request
        }
        let manager = testManager(transport) {
            $0.redirects.allows = { _, destination in destination.origin.host != "forbidden.example.com" }
        }
        #expect(await failureCode { _ = try await manager.data(for: Self.request(), delegate: delegate) } == code)
        #expect(transport.requests.count == 1)
        // The control: the same delegate changes nothing.
        delegate.next = { $0 }
        let control = testManager(Self.transport(302, "/b"))
        #expect(try await control.data(for: Self.request(), delegate: delegate).text == "there")
    }

    @Test("send no secret field to another origin, and none of the fields that name server and proxy")
    func fields() async throws {
        let name = try #require(HTTPField.Name("X-API-Key"))
        var delegate = RecordingDelegate()
        delegate.next = { request in
            var request = request
            request.headerFields[name] = "CANARY"
            request.headerFields[.authorization] = "Bearer CANARY"
            request.headerFields[.accept] = "a/b"
            return request
        }
        let transport = Self.transport()
        _ = try await testManager(transport).data(for: Self.request(), delegate: delegate)
        #expect(transport.requests[1].headerFields[.accept] == "a/b")
        #expect(!transport.requests[1].headerFields.contains { $0.value.contains("CANARY") })
        // On the same origin they are sent.
        let own = Self.transport(302, "/b")
        _ = try await testManager(own).data(for: Self.request(), delegate: delegate)
        #expect(own.requests[1].headerFields[name] == "CANARY")

        delegate.next = { request in
            var request = request
            request.headerFields[.proxyAuthorization] = "Basic CANARY"
            return request
        }
        let refused = Self.transport(302, "/b")
        let code = await failureCode { try await testManager(refused).data(for: Self.request(), delegate: delegate) }
        #expect(code == .invalidRequest)
        #expect(refused.requests.count == 1)
    }

    /// A delegate keeps the redirected POST a POST. A restart goes back to this second one, because the first was
    /// answered.
    @Test("do not make the first POST be sent twice")
    func notTwice() async throws {
        let transport = ScriptedTransport { request, index in
            request.target.path == "/a" ? Answer(.seeOther, [.location: "/b"]) : Answer(.ok, body: "\(index)")
        }
        var delegate = RecordingDelegate()
        delegate.next = { request in
            var request = request
            request.method = .post
            return request
        }
        let manager = testManager(transport) { $0.add(RestartingOnce()) }
        let response = try await manager.data(for: Self.request(.post), body: .text("once"), delegate: delegate)
        #expect(response.text == "2")
        #expect(transport.requests.map(\.target.path) == ["/a", "/b", "/b"])
    }

    private struct RestartingOnce: ResponseFilter {
        private enum Done: ConversationContextKey { typealias Value = Bool }

        func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
            guard context[Done.self] != true else { return .proceed }
            context[Done.self] = true
            return .restart(reason: "once more")
        }
    }
}
