import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

/// Delegates are told of the final response alone.
@Suite(.timeLimit(.minutes(1))) struct DelegateTests {
    private typealias Answer = ScriptedTransport.Answer
    private static let whole: [RecordingDelegate.Call] = [
        .disposition(.ok, expectedLength: 5), .received(Array("hello".utf8)), .completed(.ok),
    ]

    private static func request(_ method: HTTPRequest.Method = .get) throws -> HTTPRequest {
        try HTTPRequest(method, "http://h/")
    }

    /// Runs a verb to its end.
    private static func run(
        _ verb: String, _ manager: HttpConversationManager, _ delegate: (any ConversationDelegate)? = nil
    ) async throws -> ConversationResponse {
        let request = try request()
        switch verb {
        case "bytes":
            let stream = try await manager.bytes(for: request, delegate: delegate)
            return stream.response(with: try await stream.body.collect(upTo: 100))
        case "start": return try await manager.start(request, delegate: delegate).value
        case "startStreaming":
            let stream = try await manager.startStreaming(request, delegate: delegate).value
            return stream.response(with: try await stream.body.collect(upTo: 100))
        case "upload": return try await manager.upload(for: request, from: .bytes([]), delegate: delegate)
        case "executeRequest":
            return try await withCheckedContinuation { continuation in
                manager.executeRequest(request, delegate: delegate) { continuation.resume(returning: $0) }
            }.get()
        case "executeStreamedRequest":
            let stream = try await withCheckedContinuation { continuation in
                manager.executeStreamedRequest(request, delegate: delegate) { continuation.resume(returning: $0) }
            }.get()
            return stream.response(with: try await stream.body.collect(upTo: 100))
        default: return try await manager.data(for: request, delegate: delegate)
        }
    }

    static let verbs = [
        "data", "bytes", "start", "startStreaming", "upload", "executeRequest", "executeStreamedRequest",
    ]

    @Test(arguments: verbs, [true, false]) func delegatesOfManagerAndConversation(verb: String, isManagers: Bool)
        async throws
    {
        let delegate = RecordingDelegate()
        let manager = testManager(ScriptedTransport { _, _ in Answer(.ok, body: "hello") }) {
            if isManagers { $0.delegate = delegate }
        }
        let response = try await Self.run(verb, manager, isManagers ? nil : delegate)
        #expect(response.text == "hello")
        #expect(delegate.calls == Self.whole)
        #expect(delegate.ids == [response.id])
        // Another conversation reports nothing to it.
        _ = try await Self.run(verb, manager)
        #expect(delegate.calls.count == (isManagers ? 6 : 3))
    }

    @Test func bothDelegatesAreToldAndTheConversationsDecidesFirst() async throws {
        let (own, managers) = (RecordingDelegate(), RecordingDelegate())
        let manager = testManager(ScriptedTransport { _, _ in Answer(.ok, body: "hello") }) { $0.delegate = managers }
        _ = try await manager.data(for: Self.request(), delegate: own)
        #expect(own.calls == Self.whole && managers.calls == Self.whole)

        var deciding = RecordingDelegate()
        deciding.disposition = { _ in .cancel }
        await #expect { try await manager.data(for: Self.request(), delegate: deciding) } throws: {
            ($0 as? ConversationError)?.code == .cancelled
        }
        #expect(deciding.calls == [.disposition(.ok, expectedLength: 5), .failed(.cancelled)])
        #expect(managers.calls == Self.whole + [.failed(.cancelled)])
    }

    /// A delegate sees no challenge, no login page, no redirect, and no request of a filter's own.
    @Test func loginsNeverReachADelegate() async throws {
        let delegate = RecordingDelegate()
        let transport = ScriptedTransport { request, index in
            switch index {
            case 0: Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=\"R\""], body: "who is it")
            case 1: Answer(.seeOther, [.location: "/child"], body: "a login's redirect")
            case 2: Answer(.ok, body: "a token")
            case 3: Answer(.ok, body: "log in")
            default: Answer(.ok, body: "hello")
            }
        }
        let filter = TestFilter(
            onChallenge: { challenge, context in
                _ = try await context.start(HTTPRequest(.get, "http://login/"))
                return .use(TokenCredential(token: "right"), .session)
            },
            onResponse: { response, _ in
                try await response.peek(upTo: 100) == Array("log in".utf8) ? .restart(reason: "logged in") : .proceed
            })
        let manager = testManager(transport) {
            $0.delegate = delegate
            $0.add(filter)
        }
        #expect(try await manager.data(for: Self.request()).text == "hello")
        #expect(transport.requests.count == 5)
        #expect(delegate.calls == Self.whole)
    }

    @Test func aReplacedResponseIsTheFinalOne() async throws {
        let delegate = RecordingDelegate()
        let manager = testManager(ScriptedTransport { _, _ in Answer(.ok, body: "log in") }) {
            $0.delegate = delegate
            $0.add(
                TestFilter(onResponse: { _, _ in
                    .replace(.init(head: HTTPResponse(status: .ok), body: Array("hello".utf8)))
                }))
        }
        #expect(try await manager.data(for: Self.request()).text == "hello")
        #expect(delegate.calls == Self.whole)
    }

    // MARK: Redirects

    @Test(arguments: [true, false]) func redirects(follows: Bool) async throws {
        var delegate = RecordingDelegate()
        delegate.follows = follows
        let transport = ScriptedTransport { _, index in
            index == 0 ? Answer(.found, [.location: "http://other/"]) : Answer(.ok)
        }
        let manager = testManager(transport)
        let response = try await manager.data(for: Self.request(), delegate: delegate)
        let status: HTTPResponse.Status = follows ? .ok : .found
        #expect(response.status == status)
        #expect(transport.requests.count == (follows ? 2 : 1))
        #expect(
            delegate.calls == [
                .redirect("http://other/"), .disposition(status, expectedLength: 0), .completed(status),
            ])
    }

    /// If a policy or a filter has decided against a redirect, the delegate is not asked.
    @Test(arguments: ["policy", "filter", "off"]) func unfollowedRedirectsAreNotRequested(what: String) async throws {
        let delegate = RecordingDelegate()
        let transport = ScriptedTransport { _, _ in Answer(.found, [.location: "http://other/"]) }
        let manager = testManager(transport) {
            $0.delegate = delegate
            switch what {
            case "policy": $0.redirects.allows = { _, _ in false }
            case "filter": $0.add(TestFilter(onRedirect: { _, _ in .stop }))
            default: $0.redirects.follows = false
            }
        }
        _ = try? await manager.data(for: Self.request())
        #expect(!delegate.calls.contains(.redirect("http://other/")))
        #expect(delegate.calls.count == (what == "policy" ? 1 : 2))
    }

    // MARK: The end

    @Test(arguments: verbs) func aFailureIsReportedOnce(verb: String) async throws {
        let delegate = RecordingDelegate()
        let manager = testManager(
            ScriptedTransport { _, _ throws(ConversationError) in throw ConversationError(.connectionFailed, "none") }
        ) { $0.delegate = delegate }
        await #expect(throws: ConversationError.self) { try await Self.run(verb, manager) }
        #expect(delegate.calls == [.failed(.connectionFailed)])
    }

    @Test(arguments: ["data", "bytes"]) func aCutBodyFails(verb: String) async throws {
        let delegate = RecordingDelegate()
        let manager = testManager(ScriptedTransport { _, _ in Answer(.ok, body: "hello").failing(after: 2) }) {
            $0.delegate = delegate
        }
        await #expect(throws: ConversationError.self) { try await Self.run(verb, manager) }
        #expect(
            delegate.calls == [
                .disposition(.ok, expectedLength: 5), .received(Array("he".utf8)), .failed(.bodyCut),
            ])
    }

    private final class OfLogins: ConversationDelegate {
        let logins = Mutex<[LoginOutcome]>([])

        func completed(
            _ result: Result<ConversationResponse, ConversationError>, in context: ConversationContext
        ) async {
            guard case .failure(let error) = result else { return }
            logins.withLock { $0.append(error.login) }
        }
    }

    @Test func theErrorOfACutBodyHasTheLogin() async throws {
        let delegate = OfLogins()
        let answer = Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""], body: "hello").failing(after: 2)
        let manager = testManager(ScriptedTransport { _, _ in answer }) { $0.delegate = delegate }
        let error = await #expect(throws: ConversationError.self) { try await Self.run("bytes", manager) }
        #expect(error?.code == .bodyCut && delegate.logins.withLock { $0 } == [.notConfigured])
    }

    @Test(arguments: ["dropped", "cancelled", "after the first"]) func anUnreadStream(how: String) async throws {
        var delegate = RecordingDelegate()
        let over = Gate()
        delegate.wait = { if case .failed = $0 { over.open() } }
        let transport = ScriptedTransport { _, _ in Answer(.ok, chunks: [[1], [2]]) }
        let manager = testManager(transport) { [delegate] in $0.delegate = delegate }
        do {
            let conversation = try manager.startStreaming(Self.request())
            let stream = try await conversation.value
            if how == "after the first" { _ = try await stream.body.next() }
            if how == "cancelled" { conversation.cancel() }
        }
        if how != "cancelled" {
            // The handle keeps a body after its task is over.
            try await until { delegate.calls.last == .failed(.cancelled) }
        }
        try await over.wait()
        #expect(delegate.calls.count { $0 == .failed(.cancelled) } == 1)
        #expect(delegate.calls.count == (how == "after the first" ? 3 : 2))
    }

    @Test func aPreflightShowsNoBody() async throws {
        let delegate = RecordingDelegate()
        let manager = testManager(ScriptedTransport { _, _ in Answer(.ok, body: "a page") }) {
            $0.delegate = delegate
            $0.add(TestFilter())
        }
        try await manager.preflight("http://h/")
        #expect(delegate.calls == [.completed(.ok)])
    }

    // MARK: Where it runs

    @MainActor private final class OnMain: ConversationDelegate {
        var chunks = 0

        nonisolated init() {}

        func received(_ chunk: [UInt8], in context: ConversationContext) async {
            MainActor.assertIsolated()
            chunks += 1
        }
    }

    @Test func aMainActorsDelegateIsCalledThere() async throws {
        let delegate = OnMain()
        let manager = testManager(ScriptedTransport { _, _ in Answer(.ok, chunks: [[1], [2]]) })
        _ = try await manager.data(for: Self.request(), delegate: delegate)
        #expect(await delegate.chunks == 2)
        let request = try Self.request()
        let onMain = await withCheckedContinuation { continuation in
            manager.executeRequest(request) { @MainActor _ in
                MainActor.assertIsolated()
                continuation.resume(returning: true)
            }
        }
        #expect(onMain)
    }

    @Test func anInvalidRequestCallsBackToo() async throws {
        let called = Gate()
        var request = try Self.request()
        request.scheme = "ftp"
        let handle = testManager(ScriptedTransport { _, _ in Answer(.ok) }).executeRequest(request) { result in
            if case .failure(let error) = result {
                #expect(error.code == .unsupportedScheme)
            } else {
                Issue.record("it succeeded")
            }
            called.open()
        }
        #expect(handle == nil)
        try await called.wait()
    }

    /// The delegate gets one chunk after the other, and none is read before the last one was taken.
    @Test func theConversationWaitsForIt() async throws {
        let gate = Gate()
        let reads = Box(0)
        var delegate = RecordingDelegate()
        delegate.wait = { if case .received([1]) = $0 { try? await gate.wait() } }
        let source = CountedBody(reads)
        let manager = HttpConversationManager(transport: OneBody(body: source))
        let task = Task { [delegate] in try await manager.data(for: Self.request(), delegate: delegate) }
        try await until { delegate.calls.contains(.received([1])) }
        for _ in 0..<100 { await Task.yield() }
        #expect(reads.value == 1)
        gate.open()
        #expect(try await task.value.bytes == [1, 2])
        #expect(reads.value == 3)
    }
}

private final class CountedBody: TransportBody {
    private let reads: Box<Int>

    init(_ reads: Box<Int>) { self.reads = reads }

    func next() async throws(ConversationError) -> [UInt8]? {
        reads.update { $0 += 1 }
        return reads.value < 3 ? [UInt8(reads.value)] : nil
    }

    func cancel() {}
}

private struct OneBody: HTTPTransport {
    let body: CountedBody
    var capabilities: TransportCapabilities { [] }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        TransportResponse(head: HTTPResponse(status: .ok), body: ResponseBody(body))
    }

    func shutdown() async {}
}
