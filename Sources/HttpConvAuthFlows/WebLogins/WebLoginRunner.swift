import HttpConversation
import Synchronization

/// Shows a login to a person: one screen at a time, within the interaction's time limit.
struct WebLoginRunner: Sendable {
    let context: ConversationContext

    /// Shows a login and returns the person's answer. The time limit starts when the screen is free.
    ///
    /// - Parameters:
    ///   - origin: the login's origin; nil if another application handles it
    ///   - strategy: used for its name only
    /// - Throws: the interaction's error; ``WebLoginError/Code/timedOut``; `CancellationError` if the task is cancelled
    func show<Answer: Sendable>(
        _ purpose: WebLogin.Purpose, at origin: Origin?, by strategy: any Sendable,
        _ interaction: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let strategy = "\(type(of: strategy))"
        let hasStarted = Started()
        let result: Result<Answer, any Error>
        do {
            result = .success(
                try await context.interact { [context] in
                    context.notify(.webLoginStarted(purpose, origin: origin, strategy: strategy))
                    hasStarted.flag.store(true, ordering: .relaxed)
                    return try await interaction()
                })
        } catch StepError.timedOut(let limit) {
            result = .failure(WebLoginError(.timedOut, "Nobody finished the login within \(limit)."))
        } catch {
            result = .failure(error)
        }
        if hasStarted.flag.load(ordering: .relaxed) {
            context.notify(
                .webLoginFinished(purpose, origin: origin, strategy: strategy, outcome: Self.outcome(of: result)))
        }
        return try result.get()
    }

    /// Whether the login was shown; false for a caller that gives up while waiting for the screen.
    private final class Started: Sendable {
        let flag = Atomic<Bool>(false)
    }

    private static func outcome(of result: Result<some Any, any Error>) -> LoginEvent.Outcome {
        switch result {
        case .success: .succeeded
        case .failure(let error as WebLoginError) where error.code == .cancelled: .cancelled
        case .failure(let error as WebLoginError) where error.code == .timedOut: .timedOut
        case .failure(let error as WebLoginError): .failed(code: error.code.description)
        case .failure(let error as OAuth2Error) where error.code == .cancelled: .cancelled
        case .failure(let error as OAuth2Error): .failed(code: error.code.description)
        case .failure(is CancellationError): .abandoned
        case .failure: .failed(code: nil)
        }
    }
}
