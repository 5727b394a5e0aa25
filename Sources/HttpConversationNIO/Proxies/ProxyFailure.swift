import HttpConversation
import NIOCore
import NIOPosix
import NIOSSL

/// What went wrong on the way to a server, as far as its proxy.
enum ProxyFailure {
    /// What is said to be a proxy speaks something else, or falls silent in the middle.
    static func handshake(
        _ proxy: ProxyServer, _ what: String, _ error: (any Error)? = nil
    ) -> ConversationError {
        ConversationError(
            .proxyHandshakeFailed,
            "The proxy \(proxy) cannot be used: \(what). Check that it is a proxy of this kind, and its port.",
            underlyingError: error)
    }

    /// No TCP connection, or no TLS, to the proxy.
    static func reaching(_ proxy: ProxyServer, _ error: any Error) -> ConversationError {
        switch error {
        case let error as ConversationError: error
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            ConversationError(
                .proxyNotResolved,
                "The host name of the proxy \(proxy) cannot be resolved: check its spelling and the name servers.",
                underlyingError: error)
        // Its end without a goodbye, after the handshake.
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
