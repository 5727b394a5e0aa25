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
        let details = [
            "purpose": purpose.description, "origin": origin?.description ?? "another application",
            "strategy": "\(type(of: strategy))",
        ]
        let hasStarted = Started()
        let result: Result<Answer, any Error>
        do {
            result = .success(
                try await context.interact { [context] in
                    context.notify(FlowEvent.webLoginStarted, details)
                    hasStarted.flag.store(true, ordering: .relaxed)
                    return try await interaction()
                })
        } catch StepFailure.timedOut(let limit) {
            result = .failure(WebLoginError(.timedOut, "Nobody finished the login within \(limit)."))
        } catch {
            result = .failure(error)
        }
        if hasStarted.flag.load(ordering: .relaxed) {
            context.notify(FlowEvent.webLoginFinished, details.merging(["outcome": Self.outcome(of: result)]) { $1 })
        }
        return try result.get()
    }

    /// Whether the login was shown; false for a caller that gives up while waiting for the screen.
    private final class Started: Sendable {
        let flag = Atomic<Bool>(false)
    }

    private static func outcome(of result: Result<some Any, any Error>) -> String {
        switch result {
        case .success: "succeeded"
        case .failure(let error as WebLoginError): error.code.description
        case .failure(let error as OAuth2Error): error.code.description
        case .failure(is CancellationError): "abandoned"
        case .failure: "failed"
        }
    }
}
