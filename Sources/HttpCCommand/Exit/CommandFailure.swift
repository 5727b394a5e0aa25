import HttpC

/// Why the command ends without having done its work: a number for the shell and a message for the person.
struct CommandFailure: Error {
    let status: ExitStatus
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// The failure that an error of the library means to a caller of the command.
    ///
    /// - Parameter profile: the name of the one that applies
    init(_ error: ConversationError, profile: String? = nil) {
        self.init(ExitStatus(error.code), Self.message(of: error, profile: profile))
    }

    /// Takes both steps, whatever becomes of the first.
    ///
    /// - Throws: what went wrong first
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
    static func message(of error: ConversationError, profile: String? = nil) -> String {
        error.message + FailureAdvice.text(error, profile: profile)
    }
}
