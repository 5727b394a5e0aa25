import HTTPTypes
import HttpConversation
import NIOCore
import NIOSSL

/// The parts that a connection through a proxy needs: TLS with the proxy, and our login there.
struct ProxyHandlers: Sendable {
    /// Adds the TLS handler for the server; adds nothing without TLS.
    typealias Securing =
        @Sendable (
            ChannelPipeline.SynchronousOperations, ChannelPipeline.SynchronousOperations.Position
        ) throws -> Void

    private let server: ProxyServer
    private let client: TLSClient?
    private let negotiation: (any TunnelNegotiation)?

    /// Returns nil for a key without a route.
    static func make(_ key: PoolKey, _ connector: Connector) async throws(ConversationError) -> ProxyHandlers? {
        guard let route = key.route else { return nil }
        return ProxyHandlers(
            server: route.server,
            client: route.server.kind == .https ? try await connector.proxyTLS.prepareForProxy() : nil,
            negotiation: key.tunnel == nil
                ? nil : try await negotiation(route, to: key.origin, connector.configuration.maximumHeadBytes))
    }

    private static func negotiation(
        _ route: ProxyRoute, to origin: Origin, _ maximumHeadBytes: Int
    ) async throws(ConversationError) -> any TunnelNegotiation {
        if route.server.kind == .socks5 { return try SOCKSNegotiation(through: route.server, to: origin) }
        return ConnectNegotiation(
            through: route.server, to: origin, authorization: try await authorization(route, for: origin),
            maximumHeadBytes: maximumHeadBytes, accepted: { route.authorization?.received($0) })
    }

    private static func authorization(
        _ route: ProxyRoute, for origin: Origin
    ) async throws(ConversationError) -> String? {
        guard let source = route.authorization else { return nil }
        do {
            return try HTTPField(.proxyAuthorization, checking: try await source.authorization(for: origin)).value
        } catch {
            throw .wrapping(
                error, as: .authenticationFailed, "The credential for the proxy \(route.server) cannot be sent.")
        }
    }

    /// Adds the handlers that talk to the proxy.
    func add(to channel: any Channel, then secure: @escaping Securing) throws {
        let pipeline = channel.pipeline.syncOperations
        if let client {
            // TLS verifies the proxy by itself: filters are not asked, and no client certificate is shown.
            try pipeline.addHandler(ServerIdentity.handler(client.context, for: server.origin))
            try pipeline.addHandler(PromptCloseHandler())
        }
        guard let negotiation else { return }
        try pipeline.addHandler(
            TunnelHandler(negotiation, through: server) { context in
                try secure(context.pipeline.syncOperations, .after(context.handler))
            })
    }
}

/// Closes the connection to a proxy at once when the TLS session with the server inside it ends.
///
/// The outer TLS would wait for the proxy's closing alert first and delay the report of the end (security rule S30).
private final class PromptCloseHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        let outer = try? context.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)
        if let outer, mode == .all {
            outer.close(mode: mode, promise: promise)
        } else {
            context.close(mode: mode, promise: promise)
        }
    }
}

@available(*, unavailable)
extension PromptCloseHandler: Sendable {}
