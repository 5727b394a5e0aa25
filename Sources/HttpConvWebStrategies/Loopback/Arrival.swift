import HttpConvAuthFlows
import Synchronization

/// The first answer that arrives; for one waiter.
final class Arrival: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<OAuth2AuthorizationAnswer, any Error>)
        case done(Result<OAuth2AuthorizationAnswer, any Error>)
    }

    private let state = Mutex(State.empty)

    /// Takes an answer; later ones are ignored.
    func fulfil(_ answer: OAuth2AuthorizationAnswer) { finish(.success(answer)) }

    /// The answer.
    ///
    /// - Throws: `CancellationError` where the task is cancelled
    func value() async throws -> OAuth2AuthorizationAnswer {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Result<OAuth2AuthorizationAnswer, any Error>? in
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

    private func finish(_ result: Result<OAuth2AuthorizationAnswer, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<OAuth2AuthorizationAnswer, any Error>? in
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
