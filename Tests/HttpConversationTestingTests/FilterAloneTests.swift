import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

/// A filter that uses only public API, as an application's would, and its tests without a manager.
private struct BusyServer: RequestFilter, RedirectFilter, ChallengeFilter, ResponseFilter {
    private enum Tries: ConversationContextKey { typealias Value = Int }

    var handles: Set<AuthenticationMethod> { [.basic] }

    func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        guard request.target.origin == context.root.target.origin else { return }
        request.headerFields[.userAgent] = "patient/\(context[Tries.self] ?? 0)"
    }

    func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        guard let destination = redirect.destination else { return .stop }
        return destination.path == "/busy" ? .restart(reason: "busy") : .follow
    }

    func answer(_ challenge: AuthenticationChallenge, in context: ConversationContext) async throws -> ChallengeAnswer {
        challenge.realm == "Busy" && challenge.previousFailureCount == 0 ? .retry : .cancel
    }

    func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
        let start = String(decoding: try await response.peek(upTo: 4), as: UTF8.self)
        guard response.status == .serviceUnavailable, start == "busy" else { return .proceed }
        let tries = context.update(Tries.self, default: 0) { tries in
            tries += 1
            return tries
        }
        guard tries < 3 else { return .proceed }
        return .repeatExchange(
            reason: "busy",
            after: ConversationStep("doorbell", covers: { _, _ in false }, policy: .fetch) { context in
                _ = try await context.start(HTTPRequest(.get, "https://example.com/doorbell"))
            })
    }
}

@Suite(.timeLimit(.minutes(1))) struct FilterAloneTests {
    private let filter = BusyServer()

    @Test(arguments: [("https://example.com/a", "patient/0" as String?), ("https://other.example/", nil)])
    func aRequest(url: String, agent: String?) async throws {
        let context = try ConversationContext.testing("https://example.com/")
        var request = try ConversationRequest.testing(.get, url, in: context)
        try await filter.authorize(&request, in: context)
        #expect(request.headerFields[.userAgent] == agent)
        #expect(request.context === context)
    }

    @Test(arguments: [
        ("/busy?a=b", "restart"), ("https://other.example/x", "follow"), ("ftp://x/", "stop"), ("", "follow"),
    ])
    func aRedirect(location: String, expected: String) async throws {
        let redirect = try Redirect.testing(to: location, from: "https://example.com/a", method: .post)
        #expect(redirect.source.absoluteString == "https://example.com/a" && redirect.method == .post)
        let verdict =
            switch try await filter.inspect(redirect, in: redirect.context) {
            case .follow: "follow"
            case .stop: "stop"
            case .restart(let reason, let step): reason == "busy" && step == nil ? "restart" : "?"
            }
        #expect(verdict == expected)
    }

    @Test(arguments: [
        ("Basic realm=\"Busy\"", 0, "retry"), ("Basic realm=\"Busy\"", 1, "cancel"),
        ("Basic realm=\"Staff\", Digest realm=\"Busy\"", 0, "cancel"),
    ])
    func aChallenge(text: String, failures: Int, expected: String) async throws {
        let challenge = try AuthenticationChallenge.testing(text, at: "https://h/x", previousFailureCount: failures)
        #expect(challenge.method == .basic && challenge.space.origin.host == "h" && challenge.sent == nil)
        #expect(challenge.destination.target == challenge.destination.callersURL)
        let answer =
            switch try await filter.answer(challenge, in: challenge.context) {
            case .retry: "retry"
            case .cancel: "cancel"
            default: "?"
            }
        #expect(answer == expected)
    }

    @Test func whatIsNoChallenge() {
        #expect(throws: ConversationError.self) { try AuthenticationChallenge.testing("=,") }
    }

    /// The test's context runs the steps, over its transport.
    @Test func aResponse() async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let context = try ConversationContext.testing(transport: transport)
        let request = try ConversationRequest.testing(in: context)
        for round in 1...3 {
            let response = try await ReceivedResponse.testing(.init(.serviceUnavailable, body: "busy!"), to: request)
            #expect(response.context === context)
            switch try await filter.inspect(response, in: context) {
            case .repeatExchange("busy", let step?):
                if case .done = try await context.perform(step) {} else { Issue.record("the step did nothing") }
            case .proceed: #expect(round == 3)
            default: Issue.record("an unexpected verdict")
            }
        }
        #expect(transport.requests.map(\.target.path) == ["/doorbell", "/doorbell"])
        let other = try await ReceivedResponse.testing(.init(.ok, body: "fine"), to: request)
        if case .proceed = try await filter.inspect(other, in: context) {
        } else {
            Issue.record("an unexpected verdict")
        }
    }

    /// Peeking into a body that never continues ends at the time limit, on the test's clock.
    @Test func aResponseThatComesSlowly() async throws {
        let clock = TestClock()
        var configuration = HttpConversationManager.Configuration()
        configuration.peekTimeout = .seconds(5)
        let request = try ConversationRequest.testing(in: .testing(configuration: configuration))
        let response = try await ReceivedResponse.testing(
            .init(.serviceUnavailable, chunks: [Array("busy".utf8)]).pausing(.seconds(60)), to: request, clock: clock)
        let verdict = Task { try await filter.inspect(response, in: response.context) }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(5))
        if case .proceed = try await verdict.value {} else { Issue.record("an unexpected verdict") }
    }

    @Test func aFinalResponse() async throws {
        let response = try await ConversationResponse.testing(
            .init(.created, [.contentType: "text/plain"], body: "made"), from: "https://h/x")
        #expect(response.status == .created && response.text == "made" && response.url.path == "/x")
        #expect(response.attempts.map(\.status) == [201])
        let error = await #expect(throws: ConversationError.self) {
            _ = try await ConversationResponse.testing(.init(.ok, body: "made").failing(after: 2))
        }
        #expect(error?.code == .bodyCut)
    }
}
