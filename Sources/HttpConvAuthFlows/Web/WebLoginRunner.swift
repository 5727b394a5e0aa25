import HttpConversation
import UserInteractionMultiplexing

/// Shows a login to a person: one screen at a time, and no longer than the interaction's time limit.
struct WebLoginRunner: Sendable {
    /// Custom events; details: `purpose`, `origin`, `strategy`, and at the end `outcome`.
    static let startedEvent = "webLoginStarted"
    static let finishedEvent = "webLoginFinished"

    let web: WebLoginEnvironment
    let context: ConversationContext

    /// The person's answer. The time limit counts from when the screen is free.
    ///
    /// - Parameters:
    ///   - origin: where the login is; nil where another application handles it
    ///   - strategy: for its name
    ///   - key: what makes two logins the same; the session is added to it (security rule S2)
    /// - Throws: what the interaction throws; ``WebLoginError/Code/timedOut``; `CancellationError` where the task is
    ///   cancelled
    func show<Key: Hashable & Sendable, Answer: Sendable>(
        _ purpose: WebLogin.Purpose, at origin: Origin?, by strategy: any Sendable, as key: Key,
        _ interaction: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let details = [
            "purpose": purpose.description, "origin": origin?.description ?? "another application",
            "strategy": "\(type(of: strategy))",
        ]
        let screen = Screen(session: ObjectIdentifier(context.session), key: key)
        return try await web.multiplexer.perform(screen) { [context] in
            context.notify(Self.startedEvent, details)
            let result = await Self.limited(context, interaction)
            context.notify(
                Self.finishedEvent, details.merging(["outcome": Self.outcome(of: result)]) { $1 })
            return try result.get()
        }
    }

    private static func limited<Answer: Sendable>(
        _ context: ConversationContext, _ interaction: @escaping @Sendable () async throws -> Answer
    ) async -> Result<Answer, any Error> {
        let answer = { @Sendable () async -> Result<Answer, any Error> in
            do { return .success(try await interaction()) } catch { return .failure(error) }
        }
        guard let limit = context.configuration.interactionTimeout else { return await answer() }
        let result = await Deadline.race(limit, clock: context.configuration.clock, answer)
        if Task.isCancelled { return .failure(CancellationError()) }
        return result ?? .failure(WebLoginError(.timedOut, "Nobody finished the login within \(limit)."))
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

    private struct Screen<Key: Hashable & Sendable>: Hashable, Sendable {
        let session: ObjectIdentifier
        let key: Key
    }
}
