import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

/// Large data that becomes a download, and the delegate's view of files.
@Suite(.timeLimit(.minutes(1))) struct LargeDataTests {
    private let files: DownloadBench

    init() throws { files = try DownloadBench() }

    /// A delegate as an application would write it.
    private struct LargeToFile: ConversationDelegate {
        let file: URL
        let done: @Sendable (URL?, ConversationID) -> Void

        func disposition(of response: ConversationResponse, expectedLength: Int?) async -> ResponseDisposition? {
            (expectedLength ?? .max) > 1000 ? .becomeDownload(to: file) : nil
        }

        func downloaded(_ response: ConversationResponse, to file: URL?) async { done(file, response.id) }
    }

    /// After a login page that is itself larger than the threshold, and must not become a download.
    @Test(arguments: [10, 100_000]) func dataThatIsLargeBecomesADownload(count: Int) async throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let transport = ScriptedTransport { request, index in
            index == 0 ? .init(.ok, body: String(repeating: "log in", count: 1000)) : .init(.ok, bytes: bytes)
        }
        let landed = Mutex<(file: URL?, id: ConversationID)?>(nil)
        let out = files.url("out")
        var configuration = HttpConversationManager.Configuration()
        configuration.delegate = LargeToFile(file: out) { file, id in landed.withLock { $0 = (file, id) } }
        configuration.add(LoginPage())
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        let request = try HTTPRequest(.get, "https://example.com/big.iso")
        let started = Mutex<ConversationID?>(nil)
        let result = await withCheckedContinuation { continuation in
            let conversation = manager.executeRequest(request) { continuation.resume(returning: $0) }
            started.withLock { $0 = conversation?.id }
        }
        let response = try result.get()
        #expect(transport.requests.count == 2)
        #expect(response.status == .ok && response.id == started.withLock { $0 })
        if count > 1000 {
            #expect(response.bytes.isEmpty)
            #expect(try Array(Data(contentsOf: out)) == bytes)
            #expect(landed.withLock { $0?.file } == out && landed.withLock { $0?.id } == response.id)
        } else {
            #expect(response.bytes == bytes && files.names.isEmpty)
            #expect(landed.withLock { $0?.id } == nil)
        }
    }

    @Test(arguments: [true, false]) func aTargetThatCannotBe(breaksOff: Bool) async throws {
        var answer = ScriptedTransport.Answer(.ok, body: "hello")
        if breaksOff { answer = answer.failing(after: 2) }
        let file = files.url(breaksOff ? "out" : "none/out")
        var delegate = RecordingDelegate()
        delegate.disposition = { _ in .becomeDownload(to: file) }
        let error = await #expect(throws: ConversationError.self) {
            try await files.manager(answer).data(for: HTTPRequest(.get, "https://example.com/"), delegate: delegate)
        }
        let code: ConversationError.Code = breaksOff ? .bodyCut : .outputFailed
        #expect(error?.code == code && delegate.calls.last == .failed(code))
        #expect(files.names.isEmpty)
    }

    // MARK: Downloads

    @Test func aDownloadTellsOfWhatArrives() async throws {
        let bench = try ResumeBench()
        let delegate = RecordingDelegate()
        let token = try #require(try await bench.cut(after: 40_000))
        let download = try bench.manager.startDownload(bench.request(), resuming: token, delegate: delegate)
        _ = try await download.value
        #expect(delegate.ids == [download.id])
        #expect(
            delegate.calls == [
                .disposition(.partialContent, expectedLength: 60_000), .received(Array(ResumeBench.bytes[40_000...])),
                .downloaded(.partialContent, to: bench.out), .completed(.partialContent),
            ])
        #expect(try bench.written() == ResumeBench.bytes)
    }

    @Test func aDownloadThatFailsIsToldOnce() async throws {
        let delegate = RecordingDelegate()
        let bench = try ResumeBench { $0.delegate = delegate }
        _ = try await bench.cut(after: 40_000)
        #expect(delegate.calls.last == .failed(.bodyCut))
        #expect(delegate.calls.count == 3)
        let refused = try bench.manager.startDownload(bench.request(), to: bench.files.url("none/out"))
        #expect(await refused.result.code == .outputFailed)
        #expect(delegate.calls.count == 4 && delegate.calls.last == .failed(.outputFailed))
    }

    @Test func theCompletionFormsOfADownload() async throws {
        let bench = try ResumeBench()
        bench.server.change { $0.cuts = [40_000] }
        func run(_ start: (@escaping @Sendable (Result<DownloadedFile, ConversationError>) -> Void) -> Download?) async
            -> (Download?, Result<DownloadedFile, ConversationError>)
        {
            let (results, continuation) = AsyncStream<Result<DownloadedFile, ConversationError>>.makeStream()
            let download = start { continuation.yield($0) }
            for await result in results { return (download, result) }
            return (download, .failure(ConversationError(.internalInconsistency, "nothing came")))
        }
        let request = try bench.request()
        let (download, result) = await run {
            bench.manager.executeDownloadRequest(request, to: bench.out, completion: $0)
        }
        #expect(result.code == .bodyCut)
        let token = try #require(await download?.token)
        let (_, whole) = await run { bench.manager.executeDownloadRequest(request, resuming: token, completion: $0) }
        #expect(try whole.get().resumedAt == 40_000)
        var invalid = request
        invalid.headerFields[.range] = "bytes=1-"
        let (none, refused) = await run { bench.manager.executeDownloadRequest(invalid, to: bench.out, completion: $0) }
        #expect(none?.id == nil && refused.code == .invalidRequest)
    }
}

/// Restarts the conversation at a page that asks for a login.
struct LoginPage: ResponseFilter {
    func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
        try await response.peek(upTo: 6).starts(with: "log in".utf8) ? .restart(reason: "logged in") : .proceed
    }
}
