import HttpConvConcurrency

/// The steps that the current task is part of: it does not wait for them.
enum ActiveSteps {
    @TaskLocal static var keys: Set<SendableKey> = []
    /// Whether one of them is a login: a request that is part of a login neither waits for one nor asks for one.
    @TaskLocal static var isInLogin = false

    /// Runs something as part of a step.
    static func run<Value: Sendable>(
        _ step: ConversationStep<some Any>, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await $keys.withValue(keys.union([step.key])) {
            try await $isInLogin.withValue(isInLogin || step.policy.isLogin) { try await body() }
        }
    }
}
