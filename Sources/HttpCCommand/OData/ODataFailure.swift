import HttpC
import HttpCClient
import HttpCTerminal
import ODataOnline

/// The command's failures for errors of a service.
enum ODataFailure {
    /// - Parameter unauthorized: the last 401 of the service, which says why no login has helped
    static func failure(
        _ error: any Error, _ setup: RequestSetup, _ unauthorized: LastUnauthorized
    ) -> CommandFailure {
        if let failure = error as? CommandFailure { return failure }
        if let error = error as? ConversationError { return CommandFailure(error, of: setup) }
        guard let error = error as? ODataError else {
            return CommandFailure(.fault, "Something happened that httpc does not know.")
        }
        if let cause = error.underlyingError as? CommandFailure { return cause }
        if let cause = error.underlyingError as? ConversationError { return CommandFailure(cause, of: setup) }
        var reason = ConversationError.commandText(error.message)
        if error.code == .notAuthenticated, let answer = unauthorized.answer {
            reason = setup.explain(answer.head, from: answer.url)
        }
        return CommandFailure(status(error.code), message(error, reason))
    }

    private static func message(_ error: ODataError, _ reason: String) -> String {
        var lines = [reason]
        if let said = error.serverError {
            // Sanitised by the library.
            lines.append("The service says: \(said)")
            lines += said.details.prefix(10).map { "  \($0.target.map { "\($0): " } ?? "")\($0.message)" }
        }
        if let tag = error.currentETag {
            lines.append("It is now of the version \(TerminalText.sanitise(tag, limit: 100)) (--if-match).")
        }
        return lines.joined(separator: "\n       ")
    }

    /// The same statuses as for any other request for which an answer of 400 or more is a failure.
    static func status(_ code: ODataError.Code) -> ExitStatus {
        switch code {
        case .invalidService: .malformedURL
        case .invalidRequest: .usage
        case .notAuthenticated, .cancelled: .loginFailed
        case .notAnODataService, .malformedAnswer, .wrongType, .batchMismatch, .linkRefused: .malformedAnswer
        case .tooLarge, .tooManyPages: .tooLarge
        case .pagesInACircle: .tooManyRedirects
        default: .httpError
        }
    }
}
