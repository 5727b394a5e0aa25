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
    init(_ error: ConversationError) {
        self.init(ExitStatus(error.code), error.message)
    }
}
