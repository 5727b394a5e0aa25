import HttpConvConcurrency

/// The steps that the current task is part of; it must not wait for them.
enum ActiveSteps {
    @TaskLocal static var keys: Set<SendableKey> = []
    /// Whether one of them is a login: a request that is part of a login neither waits for a login nor starts one.
    @TaskLocal static var isInLogin = false
    /// The servers' questions for a client certificate that the task is answering.
    @TaskLocal static var questions: Set<SendableKey> = []

    /// Whether the current task is part of a step. Usually it is part of none, and then no hash is made of the key.
    static func contains(_ key: SendableKey) -> Bool { !keys.isEmpty && keys.contains(key) }

    /// Runs a closure as part of a step.
    static func run<Value: Sendable>(
        _ step: ConversationStep<some Any>, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await $keys.withValue(keys.union([step.key])) {
            try await $isInLogin.withValue(isInLogin || step.policy.isLogin) { try await body() }
        }
    }

    /// The steps of the current task, for work that continues in another task.
    struct Parts: Sendable {
        private let keys = ActiveSteps.keys
        private let isInLogin = ActiveSteps.isInLogin
        private let questions = ActiveSteps.questions

        /// Runs a closure as part of the same steps, and of a server's question.
        func answering<Value: Sendable>(
            _ question: SendableKey, _ body: @Sendable () async throws -> Value
        ) async throws -> Value {
            try await $keys.withValue(keys) {
                try await $isInLogin.withValue(isInLogin) {
                    try await $questions.withValue(questions.union([question])) { try await body() }
                }
            }
        }
    }
}
