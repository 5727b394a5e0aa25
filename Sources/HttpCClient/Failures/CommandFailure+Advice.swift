package import HttpC
import HttpCTerminal

extension CommandFailure {
    /// Creates the failure for an error of the library, with the option that helps.
    ///
    /// - Parameter given: the settings that no advice repeats
    package init(_ error: ConversationError, given: GivenSettings) {
        self.init(ExitStatus(error.code), Self.message(of: error, given: given))
    }

    /// The error's message, and the option that helps.
    static func message(of error: ConversationError, given: GivenSettings) -> String {
        if error.code == .bodyNotReplayable { return FailureAdvice.bodyIsGone(error, given: given) }
        return error.commandMessage + FailureAdvice.text(error, given: given)
    }
}
