import Synchronization

/// A running conversation: its id, its events, its outcome, and a way to cancel it.
///
/// If the value is a ``ConversationStream``, the handle lives as long as the body: ``events`` and ``cancel()`` work
/// until the body has ended. Dropping the handle does not end the conversation. A streamed one ends when both the
/// handle and the body are dropped.
public struct Conversation<Output: Sendable>: Sendable {
    /// The conversation's context: id, session and filters' values.
    public let context: ConversationContext
    private let task: Task<Result<Output, ConversationError>, Never>
    private let stream: AsyncStream<ConversationEvent>
    private let running: RunningBody

    /// - Parameter body: the output's body, if it arrives after the output
    init(
        _ runner: ConversationRunner,
        _ work: @escaping @Sendable (ConversationContext) async throws(ConversationError) -> Output,
        body: @escaping @Sendable (Output) -> ResponseBody? = { _ in nil },
        context makeContext: (ConversationRunner) -> ConversationContext
    ) {
        let (stream, continuation) = AsyncStream<ConversationEvent>.makeStream(bufferingPolicy: .bufferingNewest(1000))
        var runner = runner
        runner.extraObservers.append(StreamObserver(continuation: continuation))
        let context = makeContext(runner)
        let running = RunningBody()
        self.context = context
        self.stream = stream
        self.running = running
        task = Task {
            do throws(ConversationError) {
                let output = try await work(context)
                guard let body = body(output) else {
                    continuation.finish()
                    return .success(output)
                }
                running.begin(body)
                // Runs after `bodyReceived`, whose hook was registered first.
                body.whenEnded { _ in continuation.finish() }
                return .success(output)
            } catch {
                continuation.finish()
                return .failure(error)
            }
        }
    }

    /// The conversation's id.
    public var id: ConversationID { context.id }

    /// The events from the start on. The stream ends with the conversation; for a streamed response it ends with the
    /// body, with `bodyReceived`. For one consumer; the newest 1000 are buffered.
    public var events: AsyncStream<ConversationEvent> { stream }

    /// The outcome.
    public var result: Result<Output, ConversationError> {
        get async { await task.value }
    }

    /// The final response.
    public var value: Output {
        get async throws(ConversationError) { try await task.value.get() }
    }

    /// Cancels the conversation: connection and exchange at once, filters cooperatively. A body that is still arriving
    /// ends in ``ConversationError/Code/cancelled``, and its unread bytes are lost.
    public func cancel() {
        task.cancel()
        running.cancel()
    }
}

/// The body of a streamed response, once it exists.
private final class RunningBody: Sendable {
    private struct State {
        var body: ResponseBody?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func begin(_ body: ResponseBody) {
        let isCancelled = state.withLock { state in
            state.body = body
            return state.isCancelled
        }
        if isCancelled { body.cancel() }
    }

    func cancel() {
        let body = state.withLock { state in
            state.isCancelled = true
            return state.body
        }
        body?.cancel()
    }
}

private struct StreamObserver: ConversationObserver {
    let continuation: AsyncStream<ConversationEvent>.Continuation

    func observe(_ event: ConversationEvent) { continuation.yield(event) }
}
