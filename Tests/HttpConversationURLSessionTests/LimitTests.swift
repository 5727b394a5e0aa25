import HTTPTypes
import HttpConversation
import HttpConversationTesting
import HttpConversationURLSession
import LandscapeSupport
import Testing

@Suite("Limits and ends over URLSession", .landscape, .timeLimit(.minutes(1)))
struct LimitTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    @Test func silentServer() async throws {
        let gate = landscape.hold("/json")
        let start = ContinuousClock.now
        let error = await URLSessionTransport().failure(.get, landscape.urlString(.main, "/json")) {
            $0.connectTimeout = .milliseconds(100)
            $0.idleTimeout = .milliseconds(300)
        }
        gate.release()
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("idle timeout") == true)
        #expect(ContinuousClock.now - start >= .milliseconds(400))
    }

    @Test func bodyThatStops() async throws {
        landscape.inject(
            .script(WireScript("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")), at: "/json", times: 1)
        let error = await URLSessionTransport().failure(.get, landscape.urlString(.main, "/json")) {
            $0.idleTimeout = .milliseconds(300)
        }
        #expect(error?.code == .timedOut)
    }

    @Test func endlessBody() async throws {
        let error = await URLSessionTransport().failure(
            .get, landscape.urlString(.main, "/ticks?every=5")
        ) { $0.timeLimit = .milliseconds(300) }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("time limit") == true)
    }

    /// A slow source does not use up the peer's limit.
    @Test func slowSourceIsNotIdle() async throws {
        let left = Counter(2)
        let body = RequestBody.oneShot(
            RequestBodyStream {
                guard left.take() else { return nil }
                // Not a synchronisation: the test needs a source that is slower than the limit.
                try await Task.sleep(for: .milliseconds(3500))
                return [1]
            })
        let response = try await URLSessionTransport().send(
            .put, landscape.urlString(.main, "/upload"), body: body
        ) {
            $0.connectTimeout = .milliseconds(100)
            $0.idleTimeout = .seconds(3)
        }
        #expect(response.head.status == .ok)
    }

    @Test func unreadBytesAreBounded() async throws {
        var configuration = URLSessionTransport.Configuration()
        configuration.maximumUnreadBytes = 1 << 20
        let transport = URLSessionTransport(configuration: configuration)
        let response = try await transport.send(.get, landscape.urlString(.main, "/bytes/\(64 << 20)"))
        // Not a synchronisation: the reader pauses, and too many bytes arrive meanwhile.
        try await landscape.waitFor(count: 1, path: "/bytes/\(64 << 20)")
        let error = await #expect(throws: ConversationError.self) {
            while true {
                try await Task.sleep(for: .milliseconds(300))
                if try await response.body.next() == nil { return }
            }
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func cancellationIsPrompt() async throws {
        let gate = landscape.hold("/json")
        let transport = URLSessionTransport()
        let url = landscape.urlString(.main, "/json")
        let task = Task { await transport.failure(.get, url) }
        try await landscape.waitFor(count: 1, path: "/json")
        let start = ContinuousClock.now
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        #expect(ContinuousClock.now - start < .seconds(5))
        gate.release()
    }

    @Test func cancelledBeforehand() async throws {
        let transport = URLSessionTransport()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await transport.failure(.get, "http://127.0.0.1:1/")
        }
        #expect(await task.value?.code == .cancelled)
    }

    /// A body that waits for its source does not delay a cancellation.
    @Test func cancellationOfAWaitingUpload() async throws {
        let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
        continuation.yield([1, 2, 3])
        let transport = URLSessionTransport()
        let url = landscape.urlString(.main, "/upload")
        let task = Task { await transport.failure(.put, url, body: .oneShot(chunks)) }
        try await landscape.waitFor(count: 1, path: "/upload")
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        await transport.shutdown()
        continuation.finish()
    }

    @Test func droppedBodyEndsTheExchange() async throws {
        let transport = URLSessionTransport()
        do {
            let response = try await transport.send(.get, landscape.urlString(.main, "/ticks?every=5"))
            _ = try await response.body.next()
        }
        // It waits for running exchanges.
        await transport.shutdown()
        let error = await transport.failure(.get, landscape.urlString(.main, "/json"))
        #expect(error?.code == .shutDown)
    }

    @Test func shutdownWaitsAndThenEnds() async throws {
        var configuration = URLSessionTransport.Configuration()
        configuration.shutdownGrace = .milliseconds(200)
        let transport = URLSessionTransport(configuration: configuration)
        let response = try await transport.send(.get, landscape.urlString(.main, "/ticks?every=5"))
        await transport.shutdown()
        #expect(await failureCode { while try await response.body.next() != nil {} } == .shutDown)
    }

    @Test func manyAtOnce() async throws {
        let transport = URLSessionTransport()
        let url = landscape.urlString(.main, "/bytes/10000")
        let upload = landscape.urlString(.main, "/upload")
        try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<60 {
                group.addTask {
                    if index % 3 == 0 {
                        return try await transport.text(.put, upload, body: .text("hello")).isEmpty ? 0 : 10000
                    }
                    return try await transport.send(.get, url).body.collect(upTo: 10000).count
                }
            }
            for try await count in group { #expect(count == 10000) }
        }
        await transport.shutdown()
    }
}
