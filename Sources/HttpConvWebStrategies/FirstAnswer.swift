import Synchronization

/// Holds the first answer that arrives, for one waiter.
final class FirstAnswer<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<Value, any Error>)
        case done(Result<Value, any Error>)
    }

    private let state = Mutex(State.empty)

    /// Sets the answer; later ones are ignored.
    func fulfil(_ answer: Value) { finish(.success(answer)) }

    /// Ends the wait with an error, unless there is an answer.
    func fail(_ error: any Error) { finish(.failure(error)) }

    /// Waits for the answer.
    ///
    /// - Throws: `CancellationError` if the task is cancelled
    func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Result<Value, any Error>? in
                    if case .done(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    private func finish(_ result: Result<Value, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            switch state {
            case .done: return nil
            case .empty:
                state = .done(result)
                return nil
            case .waiting(let continuation):
                state = .done(result)
                return continuation
            }
        }
        waiter?.resume(with: result)
    }
}
