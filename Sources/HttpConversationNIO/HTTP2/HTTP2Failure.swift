import HttpConversation
import NIOHTTP2
import NIOSSL

/// Errors for failures of HTTP/2 connections and streams.
enum HTTP2Failure {
    /// The error for a server's fault that ends a connection. Returns nil if the connection itself broke.
    static func connection(_ error: any Error, _ origin: Origin) -> ConversationError? {
        if error is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock { return headTooLarge(origin, error) }
        guard error is any NIOHTTP2Error else { return nil }
        return ConversationError(
            .http2Failed,
            "\(TransportFailure.name(origin)) broke the rules of HTTP/2: \(words(error)). Its connection was closed.",
            underlyingError: error)
    }

    /// The error for a stream whose response is invalid.
    static func stream(_ error: any Error, _ origin: Origin) -> ConversationError {
        ConversationError(
            .malformedResponse,
            "\(TransportFailure.name(origin)) sent an invalid HTTP/2 response: \(words(error)).",
            underlyingError: error)
    }

    /// The error for a request that cannot be sent over HTTP/2.
    static func unsendable(_ error: any Error, _ origin: Origin) -> ConversationError {
        ConversationError(
            .sendFailed, "The request cannot be sent to \(TransportFailure.name(origin)) over HTTP/2: \(words(error)).",
            underlyingError: error)
    }

    /// The error for the end of a connection, with the server's reason if it gave one.
    ///
    /// - Parameter unused: the TLS version of a connection that has served no other exchange and has brought nothing of
    ///   this response; nil for any other
    static func ended(
        _ key: PoolKey, _ error: (any Error)?, _ code: HTTP2ErrorCode?, _ cut: ExchangeProgress.Cut,
        unused: TLSVersion?, isUploading: Bool
    ) -> ConversationError {
        if let code { return goAway(key.origin, code) }
        return ClientCertificateFailure.classify(error, key, unused: unused)
            ?? TransportFailure.exchanging(with: key, error, cut, isUploading: isUploading)
    }

    /// The error for a connection that the server ended.
    static func goAway(_ origin: Origin, _ code: HTTP2ErrorCode) -> ConversationError {
        ConversationError(
            .http2Failed,
            "\(TransportFailure.name(origin)) ended the HTTP/2 connection before it answered (GOAWAY, \(name(code))). Try again later."
        )
    }

    /// The error for a stream that the server ended.
    static func reset(_ origin: Origin, _ code: HTTP2ErrorCode) -> ConversationError {
        ConversationError(
            .http2StreamReset,
            "\(TransportFailure.name(origin)) ended the HTTP/2 stream of this exchange (RST_STREAM, \(name(code)))\(advice(code))."
        )
    }

    static func headTooLarge(_ origin: Origin, _ error: (any Error)? = nil) -> ConversationError {
        TransportFailure.headTooLarge(TransportFailure.name(origin), error)
    }

    static func flood(_ origin: Origin, _ frames: String) -> ConversationError {
        ConversationError(
            .http2Failed, "\(TransportFailure.name(origin)) sends too many \(frames) frames. Its connection was closed."
        )
    }

    static func pushing(_ origin: Origin) -> ConversationError {
        ConversationError(
            .http2Failed,
            "\(TransportFailure.name(origin)) broke the rules of HTTP/2: an invalid setting (it switched pushing on). Its connection was closed."
        )
    }

    static func unresponsive(_ origin: Origin) -> ConversationError {
        ConversationError(
            .timedOut,
            "\(TransportFailure.name(origin)) sent nothing for a while and did not answer a PING: its connection was closed."
        )
    }

    private static func advice(_ code: HTTP2ErrorCode) -> String {
        code == .enhanceYourCalm ? ": send less at a time" : ""
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case is NIOHTTP2Errors.ExcessiveControlFrames: "too many PING, SETTINGS or PRIORITY frames"
        case is NIOHTTP2Errors.ExcessiveContinuationFrames: "too many CONTINUATION frames"
        case is NIOHTTP2Errors.ExcessiveStreamErrors, is NIOHTTP2Errors.ExcessiveNumberOfGlitches:
            "too many invalid streams"
        case is NIOHTTP2Errors.ExcessiveOutboundFrameBuffering: "it takes none of the answers that it asks for"
        case is NIOHTTP2Errors.FlowControlViolation, is NIOHTTP2Errors.InvalidFlowControlWindowSize:
            "it sent more than its window allows, or gave an impossible one"
        case is NIOHTTP2Errors.InvalidWindowIncrementSize: "an impossible window increment"
        case is NIOHTTP2Errors.UnableToParseFrame: "a frame that cannot be parsed"
        case is NIOHTTP2Errors.MissingPreface: "it did not begin with SETTINGS"
        case is NIOHTTP2Errors.PushInViolationOfSetting: "a push that was switched off"
        case is NIOHTTP2Errors.RaisedGoawayLastStreamID: "a GOAWAY that takes another one back"
        case is NIOHTTP2Errors.InvalidSetting, is NIOHTTP2Errors.ReceivedBadSettings: "an invalid setting"
        case is NIOHTTP2Errors.NoSuchStream, is NIOHTTP2Errors.BadStreamStateTransition:
            "a frame of a kind that is not allowed at this point"
        case is NIOHTTP2Errors.ContentLengthViolated: "its length is not the announced one"
        case is NIOHTTP2Errors.ContentLengthHeadersMismatch, is NIOHTTP2Errors.ContentLengthHeaderNegative,
            is NIOHTTP2Errors.ContentLengthHeaderMalformedValue:
            "contradictory or invalid Content-Length"
        case is NIOHTTP2Errors.InvalidHTTP2HeaderFieldName, is NIOHTTP2Errors.InvalidHTTP2HeaderFieldValue,
            is NIOHTTP2Errors.ForbiddenHeaderField:
            "an invalid header field"
        case is NIOHTTP2Errors.MissingPseudoHeader, is NIOHTTP2Errors.DuplicatePseudoHeader,
            is NIOHTTP2Errors.UnknownPseudoHeader, is NIOHTTP2Errors.PseudoHeaderAfterRegularHeader,
            is NIOHTTP2Errors.InvalidPseudoHeaders, is NIOHTTP2Errors.InvalidStatusValue:
            "invalid pseudo header fields"
        case is NIOHTTP2Errors.TrailersWithoutEndStream: "trailers that do not end it"
        default: "\(type(of: error))"
        }
    }

    private static func name(_ code: HTTP2ErrorCode) -> String {
        switch code {
        case .noError: "NO_ERROR"
        case .protocolError: "PROTOCOL_ERROR"
        case .internalError: "INTERNAL_ERROR"
        case .flowControlError: "FLOW_CONTROL_ERROR"
        case .settingsTimeout: "SETTINGS_TIMEOUT"
        case .streamClosed: "STREAM_CLOSED"
        case .frameSizeError: "FRAME_SIZE_ERROR"
        case .refusedStream: "REFUSED_STREAM"
        case .cancel: "CANCEL"
        case .compressionError: "COMPRESSION_ERROR"
        case .connectError: "CONNECT_ERROR"
        case .enhanceYourCalm: "ENHANCE_YOUR_CALM"
        case .inadequateSecurity: "INADEQUATE_SECURITY"
        case .http11Required: "HTTP_1_1_REQUIRED"
        default: "code \(code.networkCode)"
        }
    }
}
