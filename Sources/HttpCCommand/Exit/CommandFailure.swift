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
    /// - Parameter given: what no advice asks for
    init(_ error: ConversationError, given: GivenSettings = GivenSettings()) {
        self.init(ExitStatus(error.code), Self.message(of: error, given: given))
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
    static func message(of error: ConversationError, given: GivenSettings = GivenSettings()) -> String {
        if error.code == .bodyNotReplayable { return FailureAdvice.bodyIsGone(error, given: given) }
        return error.message + FailureAdvice.text(error, given: given)
    }
}
