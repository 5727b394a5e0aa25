package import HttpC

/// The exit statuses of `httpc`: curl's numbers where curl has the same case.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case success = 0
    case schemeRefused = 1
    case usage = 2
    case malformedURL = 3
    case proxyNotResolved = 5
    case hostNotResolved = 6
    case connectionFailed = 7
    case malformedAnswer = 8
    case http2Failed = 16
    case bodyCut = 18
    case httpError = 22
    case outputFailed = 23
    case inputFailed = 26
    case timedOut = 28
    case rangeFailed = 33
    case tlsFailed = 35
    case tooManyRedirects = 47
    case emptyAnswer = 52
    case sendFailed = 55
    case receiveFailed = 56
    case clientCertificateUnusable = 58
    case certificateNotTrusted = 60
    case contentCoding = 61
    case tooLarge = 63
    case bodyNotReplayable = 65
    case loginFailed = 67
    case fault = 70
    case trustRootsUnusable = 77
    case publicKeyNotPinned = 90
    case http2StreamReset = 92
    case proxyHandshakeFailed = 97
    case clientCertificateRequired = 98
    case hungUp = 129
    case interrupted = 130
    case terminated = 143

    /// The status for a conversation's error.
    package init(_ code: ConversationError.Code) {
        self = Self.table[code] ?? .fault
    }

    /// The status for every code of the library. `cancelled` means here that a person declined; Ctrl-C has its signal's
    /// status.
    static let table: [ConversationError.Code: ExitStatus] = [
        .invalidURL: .malformedURL, .unsupportedScheme: .schemeRefused, .invalidRequest: .usage,
        .proxyNotResolved: .proxyNotResolved, .proxyRefused: .receiveFailed,
        .proxyHandshakeFailed: .proxyHandshakeFailed,
        .invalidConfiguration: .usage, .hostNotResolved: .hostNotResolved, .connectionFailed: .connectionFailed,
        .publicKeyNotPinned: .publicKeyNotPinned, .clientCertificateRequired: .clientCertificateRequired,
        .clientCertificateRefused: .clientCertificateUnusable, .clientCertificateUnusable: .clientCertificateUnusable,
        .tlsFailed: .tlsFailed, .certificateNotTrusted: .certificateNotTrusted,
        .trustRootsUnusable: .trustRootsUnusable, .timedOut: .timedOut, .emptyResponse: .emptyAnswer,
        .malformedResponse: .malformedAnswer, .bodyCut: .bodyCut, .contentCoding: .contentCoding,
        .tooLarge: .tooLarge, .sendFailed: .sendFailed, .receiveFailed: .receiveFailed, .shutDown: .receiveFailed,
        .invalidRedirect: .malformedURL, .redirectRefused: .schemeRefused, .tooManyRedirects: .tooManyRedirects,
        .tooManyAttempts: .loginFailed, .bodyNotReplayable: .bodyNotReplayable, .bodyUnavailable: .inputFailed,
        .notResumable: .rangeFailed, .unsuccessfulStatus: .httpError, .bodyNotDecodable: .malformedAnswer,
        .outputFailed: .outputFailed, .cancelled: .loginFailed, .authenticationFailed: .loginFailed,
        .filterFailed: .loginFailed, .http2Failed: .http2Failed, .http2StreamReset: .http2StreamReset,
        .internalInconsistency: .fault,
    ]

    /// The meaning, as one line for `--help`.
    package var meaning: String {
        switch self {
        case .success: "all went well (without -f also where the answer is an error)"
        case .schemeRefused: "a scheme is refused, also in a redirect; https led to http"
        case .usage: "wrong usage or configuration"
        case .malformedURL: "the URL or a Location is malformed"
        case .proxyNotResolved: "the proxy's host name has no address"
        case .hostNotResolved: "the host name has no address"
        case .connectionFailed: "no connection could be made"
        case .malformedAnswer: "the answer is not HTTP"
        case .http2Failed: "the server broke the rules of HTTP/2"
        case .http2StreamReset: "the server ended a stream of HTTP/2"
        case .bodyCut: "the body ended before its announced end"
        case .httpError: "with -f, and of odata always: the answer's status was 400 or more"
        case .outputFailed: "the output cannot be written: disk full, broken pipe, no permission"
        case .inputFailed: "a file to be sent, or with logins (-n), cannot be read"
        case .timedOut: "a time limit ran out"
        case .rangeFailed: "a download cannot be resumed (-C), or the server sent another range (-r)"
        case .tlsFailed: "the TLS handshake failed"
        case .tooManyRedirects: "more redirects than --max-redirs"
        case .emptyAnswer: "the server closed the connection without an answer"
        case .sendFailed, .receiveFailed: "sending (55) or receiving (56) failed, or the proxy made no tunnel (56)"
        case .clientCertificateUnusable: "the client certificate cannot be used, or the server does not accept it"
        case .publicKeyNotPinned: "the server's public key is not that of --pinnedpubkey"
        case .proxyHandshakeFailed: "the proxy does not speak the protocol of its URL (HTTP or SOCKS5)"
        case .clientCertificateRequired: "the server demands a client certificate, and there is none"
        case .certificateNotTrusted: "the server's certificate is not trusted"
        case .contentCoding: "the body's compression is damaged, unknown or excessive"
        case .tooLarge: "an answer exceeds a limit, such as --max-filesize"
        case .bodyNotReplayable: "a one-shot body (-T -) would have to be sent again"
        case .loginFailed: "a login failed, was cancelled or is impossible"
        case .fault: "a fault in httpc itself: please report it"
        case .trustRootsUnusable: "the authorities to trust (--[proxy-]cacert, --capath) cannot be used"
        case .hungUp: "ended by SIGHUP: the terminal was closed"
        case .interrupted: "Ctrl-C"
        case .terminated: "ended by SIGTERM"
        }
    }
}
