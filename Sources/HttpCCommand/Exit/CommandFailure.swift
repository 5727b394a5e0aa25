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
        self.init(ExitStatus(error.code), Self.message(of: error))
    }

    /// The error's message, and what helps where it is the proxy's.
    static func message(of error: ConversationError) -> String {
        let way = "The proxy is that of --proxy, else of the profile, else of the environment; --noproxy goes without."
        return switch error.code {
        case .proxyRefused: "\(error.message) A login for it is that of --proxy-user. \(way)"
        case .proxyNotResolved, .proxyHandshakeFailed: "\(error.message) \(way)"
        default: error.message
        }
    }
}
