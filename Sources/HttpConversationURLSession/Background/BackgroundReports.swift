import Foundation
import HTTPTypes
import HttpConversation
import Synchronization

/// Tells delegates, waiting calls and the stream of ends about background transfers, one report after another.
final class BackgroundReports: Sendable {
    /// The listeners to one transfer that this launch of the application has begun.
    struct Listener {
        var delegates: [any ConversationDelegate] = []
        var context: ConversationContext?
        /// The call that waits for the result, which then does not go into the stream of ends.
        var waiter: AsyncStream<Result<ConversationResponse, ConversationError>>.Continuation?
    }

    private enum Report: Sendable {
        case progress(ConversationID)
        case end(BackgroundTransfers.End)
        /// A call after the reports before it.
        case afterwards(@Sendable () -> Void)
    }

    private struct State {
        var listeners: [ConversationID: Listener] = [:]
        /// The newest progress of each upload that has not been reported yet.
        var progress: [ConversationID: UploadProgress] = [:]
        /// Makes the listener to a transfer of an earlier launch.
        var unknown: @Sendable (BackgroundTransfers.End) -> Listener? = { _ in nil }
    }

    let ends: AsyncStream<BackgroundTransfers.End>
    private let endsContinuation: AsyncStream<BackgroundTransfers.End>.Continuation
    private let reports: AsyncStream<Report>.Continuation
    private let state = Mutex(State())

    /// - Parameter acknowledge: called when a waiting call has the result
    init(acknowledge: @escaping @Sendable (ConversationID) -> Void) {
        (ends, endsContinuation) = AsyncStream<BackgroundTransfers.End>.makeStream()
        let (queue, reports) = AsyncStream<Report>.makeStream()
        self.reports = reports
        Task { [weak self] in
            for await report in queue { await self?.deliver(report, acknowledge) }
        }
    }

    deinit {
        reports.finish()
        endsContinuation.finish()
    }

    func listen(to id: ConversationID, _ listener: Listener) { state.withLock { $0.listeners[id] = listener } }

    func unknown(_ make: @escaping @Sendable (BackgroundTransfers.End) -> Listener?) {
        state.withLock { $0.unknown = make }
    }

    func sent(_ progress: UploadProgress, of id: ConversationID) {
        let isQueued = state.withLock { $0.progress.updateValue(progress, forKey: id) != nil }
        if !isQueued { reports.yield(.progress(id)) }
    }

    func end(_ end: BackgroundTransfers.End) { reports.yield(.end(end)) }

    func afterwards(_ call: @escaping @Sendable () -> Void) { reports.yield(.afterwards(call)) }

    private func deliver(_ report: Report, _ acknowledge: @Sendable (ConversationID) -> Void) async {
        switch report {
        case .progress(let id):
            let (progress, listener) = state.withLock { ($0.progress.removeValue(forKey: id), $0.listeners[id]) }
            guard let progress, let listener, let context = listener.context else { return }
            for delegate in listener.delegates { await delegate.sent(progress, in: context) }
        case .afterwards(let call): call()
        case .end(let end):
            let id = end.label.conversationID
            let (own, unknown) = state.withLock { ($0.listeners.removeValue(forKey: id), $0.unknown) }
            let listener = own ?? unknown(end)
            guard let listener, let context = listener.context else {
                endsContinuation.yield(end)
                return
            }
            let result = end.response(in: context)
            await tell(listener.delegates, end.label, result, context)
            guard let waiter = listener.waiter else {
                endsContinuation.yield(end)
                return
            }
            acknowledge(id)
            waiter.yield(result)
            waiter.finish()
        }
    }

    private func tell(
        _ delegates: [any ConversationDelegate], _ label: BackgroundLabel,
        _ result: Result<ConversationResponse, ConversationError>, _ context: ConversationContext
    ) async {
        for delegate in delegates {
            if label.kind == .download, case .success(let response) = result {
                await delegate.downloaded(response, to: URL(filePath: label.path))
            }
            await delegate.completed(result, in: context)
        }
    }
}

extension BackgroundTransfers.End {
    /// The response, of an upload with its body, or the error that a transfer in the foreground would end in.
    func response(in context: ConversationContext) -> Result<ConversationResponse, ConversationError> {
        switch outcome {
        case .finished(let head):
            return Result { () throws(ConversationError) in
                // The status of a failure says more than a body that is missing.
                let bytes = head.status.kind == .successful ? try body() : (try? body()) ?? []
                return try ConversationResponse(
                    head: head, bytes: bytes, url: context.target, context: context, attempts: []
                ).successful()
            }
        case .authenticationRequired:
            return .failure(
                ConversationError(
                    .authenticationFailed,
                    "\(context.target.origin) asked for a login during a background transfer: begin it again, which logs in first."
                ))
        case .failed(let error): return .failure(error)
        }
    }
}
