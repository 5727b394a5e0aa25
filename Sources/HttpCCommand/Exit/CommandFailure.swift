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

    /// The error's message, and the option that helps.
    static func message(of error: ConversationError, profile: String? = nil) -> String {
        error.message + FailureAdvice.text(error, profile: profile)
    }
}
