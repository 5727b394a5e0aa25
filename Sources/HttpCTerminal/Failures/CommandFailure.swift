package import HttpC

/// The reason why the command failed: a status for the shell and a message for the person.
package struct CommandFailure: Error {
    package let status: ExitStatus
    package let message: String

    package init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// Creates the failure for an error of the library, without advice.
    package init(_ error: ConversationError) { self.init(ExitStatus(error.code), error.commandMessage) }

    /// Takes both steps, even if the first one fails.
    ///
    /// - Throws: the first error
    package static func both(
        _ one: () async throws(CommandFailure) -> Void, _ other: () async throws(CommandFailure) -> Void
    ) async throws(CommandFailure) {
        do throws(CommandFailure) { try await one() } catch {
            try? await other()
            throw error
        }
        try await other()
    }
}
