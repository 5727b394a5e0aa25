import HttpConversation
import NIOCore
import NIOPosix
import NIOSSL

/// Errors for failures on the way to a server, up to its proxy.
enum ProxyFailure {
    /// The error for a proxy that speaks another protocol or stops in the middle.
    static func handshake(
        _ proxy: ProxyServer, _ what: String, _ error: (any Error)? = nil
    ) -> ConversationError {
        ConversationError(
            .proxyHandshakeFailed,
            "The proxy \(proxy) cannot be used: \(what). Check that it is a proxy of this kind, and its port.",
            underlyingError: error)
    }

    /// The error for a TCP or TLS connection to the proxy that could not be made.
    static func reaching(_ proxy: ProxyServer, _ error: any Error) -> ConversationError {
        switch error {
        case let error as ConversationError: error
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            ConversationError(
                .proxyNotResolved,
                "The host name of the proxy \(proxy) cannot be resolved: check its spelling and the name servers.",
                underlyingError: error)
        // The proxy closed TLS without a closing alert, after the handshake.
        case NIOSSLError.uncleanShutdown: handshake(proxy, "it closed the connection", error)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: secured(proxy, error)
        case ChannelError.eof: handshake(proxy, "it closed the connection", error)
        default: TransportFailure.refused("the proxy \(proxy)", error)
        }
    }

    private static func secured(_ proxy: ProxyServer, _ error: any Error) -> ConversationError {
        let failure = TLSFailure.classify(error, proxy.origin)
        return ConversationError(
            failure.code, "The proxy \(proxy): \(failure.message)", underlyingError: failure.underlyingError)
    }
}
