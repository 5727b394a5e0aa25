import Foundation
import HttpConversation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Makes the errors of failures. Each message says where the failure occurred and what to do.
enum URLFailure {
    // MARK: Limits

    static func timedOut(_ expired: ExchangeTimes.Expired, _ request: OutgoingRequest) -> ConversationError {
        let peer = request.peer
        let options = request.options
        switch expired {
        case .connectAndIdle:
            return ConversationError(
                .timedOut,
                "No sign of \(peer) within \(options.connectTimeout + options.idleTimeout) (connect timeout and idle timeout together: URLSession does not say when it is connected)."
            )
        case .idle:
            return ConversationError(
                .timedOut, "\(peer) made no progress for \(options.idleTimeout) (idle timeout).")
        case .total:
            let limit = options.timeLimit.map { "\($0)" } ?? "its limit"
            return ConversationError(
                .timedOut, "The exchange with \(peer) took longer than \(limit) (time limit of the exchange).")
        }
    }

    static func unread(_ request: OutgoingRequest, _ limit: Int) -> ConversationError {
        ConversationError(
            .tooLarge,
            "More than \(limit) bytes of the response of \(request.peer) wait to be read, and URLSession cannot be slowed down here (maximumUnreadBytes of the transport's configuration): read faster, or use another transport."
        )
    }

    // MARK: Bodies

    static func bodyTwice(_ request: OutgoingRequest) -> ConversationError {
        ConversationError(
            .sendFailed, "URLSession wanted the body of the request to \(request.peer) again, from its start.")
    }

    static func body(_ error: any Error) -> ConversationError {
        error is CancellationError ? .cancelled : RequestBodyFailure.of(error)
    }

    // MARK: URLSession's errors

    static func noResponse(_ request: OutgoingRequest) -> ConversationError {
        ConversationError(.emptyResponse, "\(request.peer) closed the connection without an answer.")
    }

    static func lostBody(_ request: OutgoingRequest) -> ConversationError {
        ConversationError(
            .bodyCut,
            "The body of a redirect of \(request.peer) that leads nowhere was lost: FoundationNetworking does not give it out."
        )
    }

    static func classify(
        _ error: any Error, _ origin: Origin, _ stage: ExchangeTimes.Stage
    ) -> ConversationError {
        guard let error = error as? URLError else {
            return ConversationError(
                .receiveFailed, "The exchange with \(origin.hostAndPort) failed.", underlyingError: error)
        }
        let (code, text) = words(error, origin, stage)
        return code == .cancelled ? .cancelled : ConversationError(code, text, underlyingError: error)
    }

    private static func words(
        _ error: URLError, _ origin: Origin, _ stage: ExchangeTimes.Stage
    ) -> (ConversationError.Code, String) {
        let peer = origin.hostAndPort
        switch error.code {
        case .cancelled, .userCancelledAuthentication: return (.cancelled, "")
        case .cannotFindHost, .dnsLookupFailed:
            return (
                .hostNotResolved,
                "The host name \"\(origin.host)\" (port \(origin.port)) cannot be resolved: check its spelling and the name servers."
            )
        case .cannotConnectToHost:
            return (.connectionFailed, "No connection to \(peer). Check host, port and that the server runs.")
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
            return (.connectionFailed, "No connection to \(peer): this device has no network that may be used for it.")
        case .appTransportSecurityRequiresSecureConnection:
            return (
                .connectionFailed,
                "No connection to \(peer): App Transport Security wants https, or an exception in the application's Info.plist."
            )
        case .timedOut: return (.timedOut, "\(peer) did not answer in time (idle timeout).")
        case .secureConnectionFailed: return (.tlsFailed, tls(peer) + appTransportSecurity)
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid:
            return (.certificateNotTrusted, certificate(peer))
        case .clientCertificateRequired:
            return (.clientCertificateRequired, "\(peer) demands a client certificate, and there was none.")
        case .clientCertificateRejected:
            return (.clientCertificateRefused, "\(peer) does not accept the client certificate that it was shown.")
        case .cannotParseResponse, .unsupportedURL:
            return (.malformedResponse, "\(peer) sent an invalid HTTP response.")
        case .cannotDecodeContentData, .cannotDecodeRawData:
            return (.contentCoding, "\(peer) answered with a Content-Encoding that is unknown or damaged.")
        case .dataLengthExceedsMaximum: return (.tooLarge, "The response of \(peer) is too large.")
        case .requestBodyStreamExhausted:
            return (.bodyUnavailable, "The source of the request body failed; the request was given up.")
        case .badServerResponse: return broken(peer, stage)
        case .networkConnectionLost: return broken(peer, stage)
        case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile, .cannotCreateFile, .cannotOpenFile,
            .cannotCloseFile, .cannotWriteToFile, .cannotRemoveFile, .cannotMoveFile,
            .backgroundSessionRequiresSharedContainer, .backgroundSessionInUseByAnotherProcess,
            .backgroundSessionWasDisconnected:
            return ofTransfer(error.code, peer)
        default:
            #if canImport(FoundationNetworking)
            return CurlFailure.words(error, peer, stage) ?? broken(peer, stage)
            #else
            return broken(peer, stage)
            #endif
        }
    }

    /// The failures of background transfers that are the device's own, not the server's.
    private static func ofTransfer(_ code: URLError.Code, _ peer: String) -> (ConversationError.Code, String) {
        switch code {
        case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile:
            (
                .bodyUnavailable,
                "The system could not read the file for \(peer): it was moved or removed, or its protection keeps it closed while the device is locked."
            )
        case .backgroundSessionRequiresSharedContainer:
            (
                .invalidConfiguration,
                "The transfer with \(peer) was not begun: in an application extension, a background session needs the container of a group (BackgroundTransfers.Configuration.applicationGroup, or sharedContainerIdentifier of a URLSessionConfiguration)."
            )
        case .backgroundSessionInUseByAnotherProcess:
            (
                .invalidConfiguration,
                "The transfer with \(peer) was not begun: another process, such as an application extension, has a background session with the same identifier. Give each an identifier of its own."
            )
        case .backgroundSessionWasDisconnected:
            (.connectionFailed, "The system has given up the background transfer with \(peer): begin it again.")
        default:
            (
                .outputFailed,
                "The system could not write the answer of \(peer) to a file: look at the free space of the device."
            )
        }
    }

    static func broken(_ peer: String, _ stage: ExchangeTimes.Stage) -> (ConversationError.Code, String) {
        switch stage {
        case .connecting: (.emptyResponse, "\(peer) closed the connection without an answer.")
        case .sending: (.sendFailed, "\(peer) closed the connection while the request was sent.")
        case .receiving: (.bodyCut, "\(peer) closed the connection before the end of the response body.")
        }
    }

    static func certificate(_ peer: String) -> String {
        "The certificate of \(peer) is not trusted: it has expired, is not valid yet, is for another name, or comes from an issuer that is not among the trusted roots. Have the server's renewed, or install the issuer's."
    }

    /// It judges a server before a filter does.
    #if canImport(FoundationNetworking)
    static let appTransportSecurity = ""
    #else
    static let appTransportSecurity =
        " If a filter names its authority, App Transport Security needs an exception for the host, too (NSAppTransportSecurity in the application's Info.plist)."
    #endif

    static func tls(_ peer: String) -> String {
        "The TLS handshake with \(peer) failed: it may not speak TLS on this port, or refuse this client."
    }
}
