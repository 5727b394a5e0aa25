import Synchronization

/// A running conversation: its id, its events, its outcome, and the way to end it.
///
/// Dropping the handle does not end the conversation.
public struct Conversation<Output: Sendable>: Sendable {
    /// The conversation's context: id, session and what filters remember.
    public let context: ConversationContext
    private let task: Task<Result<Output, ConversationError>, Never>
    private let stream: AsyncStream<ConversationEvent>

    init(
        _ runner: ConversationRunner,
        _ work: @escaping @Sendable (ConversationRunner, ConversationContext) async throws(ConversationError) -> Output,
        context makeContext: (ConversationRunner) -> ConversationContext
    ) {
        let (stream, continuation) = AsyncStream<ConversationEvent>.makeStream(bufferingPolicy: .bufferingNewest(1000))
        var runner = runner
        runner.extraObservers.append(StreamObserver(continuation: continuation))
        let context = makeContext(runner)
        self.context = context
        self.stream = stream
        task = Task { [runner] in
            defer { continuation.finish() }
            do throws(ConversationError) { return .success(try await work(runner, context)) } catch {
                return .failure(error)
            }
        }
    }

    /// The conversation's id.
    public var id: ConversationID { context.id }

    /// What happens, from the start on; ends with the conversation. For one consumer; the newest 1000 are kept.
    public var events: AsyncStream<ConversationEvent> { stream }

    /// The outcome.
    public var result: Result<Output, ConversationError> {
        get async { await task.value }
    }

    /// The final response.
    public var value: Output {
        get async throws(ConversationError) { try await task.value.get() }
    }

    /// Ends the conversation: connection and exchange at once, filters cooperatively.
    public func cancel() { task.cancel() }
}

private struct StreamObserver: ConversationObserver {
    let continuation: AsyncStream<ConversationEvent>.Continuation

    func observe(_ event: ConversationEvent) { continuation.yield(event) }
}
