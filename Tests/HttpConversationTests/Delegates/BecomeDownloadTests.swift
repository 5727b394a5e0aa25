import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

/// Data that becomes a download, and downloads into closures.
@Suite(.timeLimit(.minutes(1))) struct BecomeDownloadTests {
    private typealias Answer = ScriptedTransport.Answer

    private static func large(_ sink: some ResponseBodySink) -> RecordingDelegate {
        var delegate = RecordingDelegate()
        delegate.disposition = { _ in .becomeDownload(into: sink) }
        return delegate
    }

    @Test(arguments: ["data", "bytes", "executeRequest"]) func theCallerGetsTheResponse(verb: String) async throws {
        let taken = Box<[UInt8]>([])
        let delegate = Self.large(ClosureSink { chunk in taken.update { $0 += chunk } })
        let manager = testManager(ScriptedTransport { _, _ in Answer(.ok, body: "hello") })
        let request = try HTTPRequest(.get, "http://h/")
        let response: ConversationResponse
        switch verb {
        case "bytes":
            let stream = try await manager.bytes(for: request, delegate: delegate)
            response = stream.response(with: try await stream.body.collect(upTo: 0))
        case "data": response = try await manager.data(for: request, delegate: delegate)
        default:
            let id = Box<ConversationID?>(nil)
            response = try await withCheckedContinuation { continuation in
                let conversation = manager.executeRequest(request, delegate: delegate) {
                    continuation.resume(returning: $0)
                }
                id.update { $0 = conversation?.id }
            }.get()
            #expect(response.id == id.value)
        }
        #expect(response.status == .ok && response.bytes.isEmpty)
        #expect(taken.value == Array("hello".utf8))
        #expect(delegate.ids == [response.id])
        #expect(
            delegate.calls == [
                .disposition(.ok, expectedLength: 5), .received(Array("hello".utf8)), .downloaded(.ok, to: nil),
                .completed(.ok),
            ])
    }

    /// A part that was not asked for would pass for the whole.
    @Test(arguments: [false, true]) func aPartIsWrittenOnlyIfItWasAskedFor(isAskedFor: Bool) async throws {
        let taken = Box<[UInt8]>([])
        let delegate = Self.large(ClosureSink { chunk in taken.update { $0 += chunk } })
        let transport = ScriptedTransport { _, _ in
            Answer(.partialContent, [.contentRange: "bytes 0-4/9"], body: "hello")
        }
        let fields: HTTPFields = isAskedFor ? [.range: "bytes=0-4"] : [:]
        let response = try await testManager(transport).data(
            for: HTTPRequest(.get, "http://h/", fields: fields), delegate: delegate)
        let hello = Array("hello".utf8)
        #expect(taken.value == (isAskedFor ? hello : []))
        #expect(response.bytes == (isAskedFor ? [] : hello))
        #expect(delegate.calls.contains(.downloaded(.partialContent, to: nil)) == isAskedFor)
    }

    /// A download already has its sink.
    @Test func aDownloadStaysWhereItIs() async throws {
        let (wrong, right) = (Box<[UInt8]>([]), Box<[UInt8]>([]))
        let delegate = Self.large(ClosureSink { chunk in wrong.update { $0 += chunk } })
        let manager = testManager(ScriptedTransport { _, _ in Answer(.ok, body: "hello") })
        _ = try await manager.download(for: HTTPRequest(.get, "http://h/"), delegate: delegate) { chunk in
            right.update { $0 += chunk }
        }
        #expect(wrong.value.isEmpty && right.value == Array("hello".utf8))
        #expect(delegate.calls.suffix(2) == [.downloaded(.ok, to: nil), .completed(.ok)])
    }

    struct Full: Error {}

    @Test(arguments: [true, false]) func aSinkThatFails(isDelegates: Bool) async throws {
        let sink = ClosureSink { _ in throw Full() }
        let delegate = isDelegates ? Self.large(sink) : RecordingDelegate()
        let manager = testManager(ScriptedTransport { _, _ in Answer(.ok, chunks: [[1], [2]]) })
        let request = try HTTPRequest(.get, "http://h/")
        let error = await #expect(throws: ConversationError.self) {
            if isDelegates {
                try await manager.data(for: request, delegate: delegate)
            } else {
                try await manager.download(for: request, to: sink, delegate: delegate)
            }
        }
        #expect(error?.code == .outputFailed && error?.underlyingError is Full)
        #expect(
            delegate.calls == [
                .disposition(.ok, expectedLength: nil), .received([1]), .failed(.outputFailed),
            ])
    }

    @Test func aCompletionFormOfADownload() async throws {
        let taken = Box<[UInt8]>([])
        let progress = Box<[Int]>([])
        let request = try HTTPRequest(.get, "http://h/")
        let result = await withCheckedContinuation { continuation in
            _ = testManager(ScriptedTransport { _, _ in Answer(.ok, body: "hello") }).executeDownloadRequest(
                request, to: ClosureSink { chunk in taken.update { $0 += chunk } },
                progress: { news in progress.update { $0.append(news.received) } }
            ) { continuation.resume(returning: $0) }
        }
        #expect(try result.get().status == .ok)
        #expect(taken.value == Array("hello".utf8) && progress.value == [5])
    }
}
