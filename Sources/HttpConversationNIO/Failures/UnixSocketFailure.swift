import HttpConvPlatform
import HttpConversation
import NIOCore

/// The error for a Unix socket that cannot be connected to.
enum UnixSocketFailure {
    static func reaching(_ origin: Origin, _ path: String, _ error: any Error) -> ConversationError {
        ConversationError(
            .connectionFailed,
            "No connection to \(TransportFailure.name(origin)) at the Unix socket \(TerminalText.sanitise(path)): \(reason(path, error)).",
            underlyingError: error)
    }

    private static func reason(_ path: String, _ error: any Error) -> String {
        guard let code = (error as? IOError)?.errnoCode else { return "\(error)" }
        var status = stat()
        let isOther = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFSOCK
        switch code {
        case ECONNREFUSED where isOther, ENOTSOCK,
            EPROTOTYPE where isOther:
            return "it is there, but it is not a socket"
        case ECONNREFUSED: return "no server listens there: start it"
        case ENOENT, ENOTDIR: return "there is no such file: check the path, and that the server runs"
        case EACCES, EPERM:
            return "no permission: connecting takes the right to write to it, and to enter its directories"
        case EPROTOTYPE: return "it is a socket of another kind (datagrams)"
        default: return String(cString: strerror(code))
        }
    }
}
