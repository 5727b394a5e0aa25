import Foundation
import HTTPTypes
import HttpConvFiles
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

/// A cancelled conversation ends at once and leaves nothing, wherever it waits for its delegate or for the file.
@Suite(.timeLimit(.minutes(1))) struct DelegateCancellationTests {
    private let files: DownloadBench

    init() throws { files = try DownloadBench() }

    /// The waiting points of an upload that is redirected, and whose answer becomes a file, in their order.
    enum Stage: String, CaseIterable {
        case sent, redirect, newBodyStream, disposition, received, body, downloaded, completed

        /// Whether the file is complete by then.
        var isLate: Bool { self == .downloaded || self == .completed }

        func isReached(by call: RecordingDelegate.Call) -> Bool {
            switch (self, call) {
            case (.sent, .sent), (.redirect, .redirect), (.newBodyStream, .newBodyStream),
                (.disposition, .disposition), (.received, .received), (.downloaded, .downloaded),
                (.completed, .completed):
                true
            default: false
            }
        }
    }

    enum Way: CaseIterable { case task, handle, completionForm, stream, download }

    private final class Canary: Sendable {}
    private final class Arrival: Sendable {
        let stream: AsyncStream<Void>
        let continuation: AsyncStream<Void>.Continuation
        init() { (stream, continuation) = AsyncStream.makeStream() }
        func happened() { continuation.yield() }
        func wait() async { for await _ in stream { return } }
    }

    @Test(arguments: Stage.allCases, Way.allCases) func leavesNothing(stage: Stage, way: Way) async throws {
        weak let canary: Canary? = try await cancel(at: stage, way)
        // A task that has just ended releases its objects a moment later, so this polls.
        for _ in 0..<2000 where canary != nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(canary == nil)
        #expect(files.names == (stage.isLate ? ["out"] : []))
    }

    private func cancel(at stage: Stage, _ way: Way) async throws -> Canary {
        let canary = Canary()
        let arrived = Arrival()
        let out = files.url("out")
        var delegate = RecordingDelegate()
        delegate.disposition = { _ in way == .download ? nil : .becomeDownload(to: out) }
        delegate.body = { [canary] in RequestBodyStream(Self.once(canary)) }
        delegate.wait = { call in
            guard stage.isReached(by: call) else { return }
            arrived.happened()
            // Waits until it is cancelled.
            try? await Task.sleep(for: .seconds(3600))
        }
        let transport = ScriptedTransport(clock: files.clock) { _, index in
            if index == 0 { return .init(.temporaryRedirect, [.location: "/there"]) }
            let answer = ScriptedTransport.Answer(.ok, chunks: [[1], [2]])
            return stage == .body ? answer.pausing(.seconds(1)) : answer
        }
        let manager = HttpConversationManager(transport: transport)
        let request = try HTTPRequest(.put, "https://example.com/")
        let body = RequestBody.oneShot(RequestBodyStream(Self.once(canary)))
        let arrival: @Sendable () async -> Void = { [files] in
            if stage == .body { await files.clock.waitForSleepers() } else { await arrived.wait() }
        }
        let code: ConversationError.Code?
        switch way {
        case .task:
            let task = Task { [delegate] in
                try await manager.upload(for: request, from: body, delegate: delegate)
            }
            await arrival()
            task.cancel()
            code = await task.result.conversationCode
        case .handle:
            let conversation = try manager.start(request, body: body, delegate: delegate)
            await arrival()
            conversation.cancel()
            code = await conversation.result.code
        case .completionForm:
            let (results, continuation) = AsyncStream<ConversationError.Code?>.makeStream()
            let conversation = manager.executeUploadRequest(request, from: body, delegate: delegate) {
                continuation.yield($0.code)
            }
            await arrival()
            conversation?.cancel()
            code = await results.first { _ in true } ?? nil
        case .stream:
            let conversation = try manager.startStreaming(request, body: body, delegate: delegate)
            await arrival()
            conversation.cancel()
            code = await conversation.result.code
        case .download:
            let download = try manager.startDownload(request, body: body, to: out, delegate: delegate)
            await arrival()
            await download.cancel()
            code = await download.result.code
        }
        #expect(code == (stage.isLate ? nil : .cancelled))
        // The end is reported once, unless the delegate waits in that call.
        #expect(delegate.calls.count { $0 == .failed(.cancelled) || $0 == .completed(.ok) } == 1)
        return canary
    }

    private static func once(_ canary: Canary) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            withExtendedLifetime(canary) {}
            continuation.yield([1, 2, 3])
            continuation.finish()
        }
    }
}

extension Result where Success == ConversationResponse, Failure == any Error {
    fileprivate var conversationCode: ConversationError.Code? {
        if case .failure(let error) = self { (error as? ConversationError)?.code } else { nil }
    }
}
