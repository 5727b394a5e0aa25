import HttpConvPlatform
import HttpConversation
import NIOCore
import NIOPosix
import NIOSSL

/// Makes the errors of failures. Each message says where the failure occurred and what to do.
enum TransportFailure {
    static var inconsistency: ConversationError {
        ConversationError(.internalInconsistency, "A response ended before it began. Please report this.")
    }

    // MARK: Connecting

    /// The error for a TCP connection that could not be made to the server, the proxy or the Unix socket.
    static func reaching(_ key: PoolKey, _ error: any Error) -> ConversationError {
        if case .unixSocket(let path) = key.address { return UnixSocketFailure.reaching(key.origin, path, error) }
        guard let proxy = key.route?.server else { return connecting(to: key, error) }
        return ProxyFailure.reaching(proxy, error)
    }

    static func connecting(to key: PoolKey, _ error: any Error) -> ConversationError {
        if key.isAbsoluteForm { return reaching(key, error) }
        let origin = key.origin
        let peer = name(key)
        if let error = error as? ConversationError { return error }
        if let failure = ClientCertificateFailure.classify(error, key, unused: nil) { return failure }
        switch error {
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            return ConversationError(
                .hostNotResolved,
                "The host name \"\(origin.host)\" (port \(origin.port)) cannot be resolved: check its spelling and the name servers.",
                underlyingError: error)
        case let error as NIOConnectionError:
            return refused(peer, error)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: return TLSFailure.classify(error, origin)
        case ChannelError.eof where origin.scheme == .https:
            return ConversationError(
                .tlsFailed,
                "\(peer) closed the connection during the TLS handshake: it may not speak TLS on this port, or refuse this client.",
                underlyingError: error)
        default: return refused(peer, error)
        }
    }

    /// The error for a connection that the system refused, with the system's reason.
    static func refused(_ peer: String, _ underlying: any Error) -> ConversationError {
        let error = (underlying as? NIOConnectionError)?.connectionErrors.first?.error ?? underlying
        let reason = reasonText(error)
        return ConversationError(
            .connectionFailed, "No connection to \(peer): \(reason). Check host, port and that the server runs.",
            underlyingError: underlying)
    }

    static func connectTimeout(_ request: WireRequest, _ shortage: ConnectionShortage?) -> ConversationError {
        let (peer, time) = (name(request.key), text(request.connectTimeout))
        let message =
            switch shortage {
            case .atServer(let connections, let exchanges):
                "No connection to \(peer) was free within \(time) (connect timeout): all that it may have are in use (connections: \(connections), exchanges on them: \(exchanges)). Let others end, or raise maximumConnectionsPerOrigin."
            case .inTotal(let connections):
                "No connection to \(peer) could be made within \(time) (connect timeout): all that the transport may have are in use (connections: \(connections)). Let others end, or raise maximumConnections."
            case nil:
                "No connection to \(peer) within \(time) (connect timeout: waiting for the pool, resolving, connecting and TLS together)."
            }
        return ConversationError(.timedOut, message)
    }

    static func otherFamily(_ origin: Origin) -> ConversationError {
        ConversationError(
            .connectionFailed,
            "\(name(origin)) has an address of another family than the configured one (addressFamily)."
        )
    }

    // MARK: Exchanging

    static func timeLimit(_ request: WireRequest) -> ConversationError {
        let limit = request.timeLimit.map { "\($0)" } ?? "its limit"
        return ConversationError(
            .timedOut,
            "The exchange with \(name(request.key)) took longer than \(limit) (time limit of the exchange).")
    }

    static func idle(_ request: WireRequest, _ cut: ExchangeProgress.Cut) -> ConversationError {
        let stage =
            switch cut {
            case .beforeResponse: "before it answered"
            case .inHead: "in the middle of the response's head"
            case .inBody, .idle: "in the middle of the response's body"
            }
        return ConversationError(
            .timedOut,
            "\(name(request.key)) made no progress for \(text(request.idleTimeout)) \(stage) (idle timeout).")
    }

    /// The error for a failure, or the plain end of a connection, during an exchange.
    static func exchanging(
        with key: PoolKey, _ error: (any Error)?, _ cut: ExchangeProgress.Cut, isUploading: Bool
    ) -> ConversationError {
        let origin = key.origin
        let peer = name(key)
        if let malformed = malformed(peer, error) { return malformed }
        // TLS 1.3 servers refuse a client after the handshake, for example because it has no certificate.
        if let error, error is BoringSSLError || (error is NIOSSLError && !isPlainEnd(error)) {
            return TLSFailure.classify(error, origin)
        }
        let isEnd = error.map(isPlainEnd) ?? true
        let reason = error.map { ": \(reasonText($0))" } ?? ""
        switch cut {
        case .inBody where isEnd:
            return ConversationError(
                .bodyCut, "\(peer) closed the connection before the end of the response body.", underlyingError: error)
        case .beforeResponse where isUploading:
            return ConversationError(
                .sendFailed, "\(peer) closed the connection while the request was sent\(reason).",
                underlyingError: error)
        case .beforeResponse where isEnd:
            return ConversationError(
                .emptyResponse,
                "\(peer) closed the connection without an answer.\(ClientCertificateFailure.advice(key))",
                underlyingError: error)
        case .inHead:
            return ConversationError(
                .receiveFailed, "The connection to \(peer) ended in the middle of the response's head\(reason).",
                underlyingError: error)
        default:
            return ConversationError(
                .receiveFailed, "The connection to \(peer) broke while the response was awaited or received\(reason).",
                underlyingError: error)
        }
    }

    /// Whether an error says only that the stream ended.
    private static func isPlainEnd(_ error: any Error) -> Bool {
        (error as? NIOSSLError) == .uncleanShutdown || (error as? ChannelError) == .eof
    }

    /// Whether an error is about unexpected bytes rather than about the end of a connection.
    static func isSurplus(_ error: any Error) -> Bool { error is ExchangeProgress.Refusal }

    private static func malformed(_ peer: String, _ error: (any Error)?) -> ConversationError? {
        guard let refusal = error as? ExchangeProgress.Refusal else { return nil }
        return switch refusal {
        case .head(.tooLarge): headTooLarge(peer, error)
        case .largeTrailers:
            ConversationError(
                .tooLarge, "The fields behind the body of \(peer)'s response are larger than 64 KiB.",
                underlyingError: refusal)
        default: malformed(peer, words(refusal), refusal)
        }
    }

    static func headTooLarge(_ peer: String, _ error: (any Error)?) -> ConversationError {
        ConversationError(
            .tooLarge,
            "The head of \(peer)'s response is larger than the limit (maximumHeadBytes of the transport's configuration), or has more than 1,000 fields.",
            underlyingError: error)
    }

    static func malformed(_ origin: Origin, _ refusal: ExchangeProgress.Refusal) -> ConversationError {
        malformed(name(origin), words(refusal), refusal)
    }

    private static func malformed(_ peer: String, _ what: String, _ error: (any Error)?) -> ConversationError {
        ConversationError(
            .malformedResponse, "\(peer) sent an invalid HTTP response: \(what).", underlyingError: error)
    }

    private static func words(_ refusal: ExchangeProgress.Refusal) -> String {
        switch refusal {
        case .head(let fault): words(fault)
        case .unexpectedBytes: "it sent more bytes than it had announced"
        case .unaskedUpgrade: "it switched to a protocol that it was not asked for (status 101)"
        case .tooManyInterimResponses:
            "more than \(ExchangeProgress.maximumInterimResponses) interim responses (status 1xx)"
        case .transferEncodingAndLength: "both Transfer-Encoding and Content-Length"
        case .unknownTransferEncoding: "a Transfer-Encoding other than chunked"
        case .invalidStatus: "an impossible status code"
        case .invalidLength: "contradictory or invalid Content-Length"
        case .invalidChunk: "an invalid chunk"
        case .invalidTrailer: "an invalid field behind the body"
        case .largeTrailers: "its trailer fields are too large"
        }
    }

    private static func words(_ fault: ResponseHeadReader.Fault) -> String {
        switch fault {
        case .notHTTP: "it is not HTTP/1.x"
        case .tooLarge: "its head is too large"
        case .invalidStatus: "an invalid status line"
        case .invalidField: "an invalid header field"
        }
    }

    // MARK: Words

    static func name(_ origin: Origin) -> String { origin.hostAndPort }

    /// The server's name with its proxy, which may have caused the failure.
    static func name(_ key: PoolKey) -> String {
        let way = key.route.map { " (through the proxy \($0.server))" } ?? ""
        return switch key.address {
        case .unixSocket(let path): "\(name(key.origin)) (at the Unix socket \(TerminalText.sanitise(path)))"
        case .internet(let addresses):
            "\(name(key.origin))\(way) (at \(addresses.compactMap(\.ipAddress).joined(separator: ", ")))"
        case nil: name(key.origin) + way
        }
    }

    private static func reasonText(_ error: any Error) -> String {
        (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
    }

    private static func text(_ amount: TimeAmount) -> String { "\(Duration.nanoseconds(amount.nanoseconds))" }
}
