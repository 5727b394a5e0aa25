import HttpC

/// The reason why the command failed: a status for the shell and a message for the person.
struct CommandFailure: Error {
    let status: ExitStatus
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Creates the failure for an error of the library.
    ///
    /// - Parameter given: the settings that no advice repeats
    init(_ error: ConversationError, given: GivenSettings = GivenSettings()) {
        self.init(ExitStatus(error.code), Self.message(of: error, given: given))
    }

    /// Takes both steps, even if the first one fails.
    ///
    /// - Throws: the first error
    static func both(
        _ one: () async throws(CommandFailure) -> Void, _ other: () async throws(CommandFailure) -> Void
    ) async throws(CommandFailure) {
        do throws(CommandFailure) { try await one() } catch {
            try? await other()
            throw error
        }
        try await other()
    }

    /// The error's message, and the option that helps.
    static func message(of error: ConversationError, given: GivenSettings = GivenSettings()) -> String {
        if error.code == .bodyNotReplayable { return FailureAdvice.bodyIsGone(error, given: given) }
        return error.message + FailureAdvice.text(error, given: given)
    }
}
