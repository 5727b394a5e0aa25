import HttpConversation
import NIOCore
import NIOHTTP2
import NIOSSL
import NIOTLS

/// The last handler of a channel until the tunnel is open, TLS is done and the protocol is known (RFC 7301). Then it
/// installs the handlers of that protocol in its place.
final class ConnectionSetupHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The name of the TLS handler for the server in the pipeline. A second TLS handler may serve the proxy.
    static let tlsName = "TLS with the server"

    private let making: ConnectAttempt
    private let pool: ConnectionPool
    private let configuration: NIOTransport.Configuration
    private var context: ChannelHandlerContext?
    /// The attempt that makes this connection, once its TCP connection has won.
    private var attempt: ConnectAttempt?
    /// The time when the connection was ready for bytes to the server.
    private var connected = NIODeadline.now()
    private var isSecured: Bool
    private var negotiated: String?
    /// A failure that came before the attempt was adopted.
    private var earlyFailure: ConversationError?
    /// Bytes that the server sent before the handlers of the protocol were installed.
    private var held: [ByteBuffer] = []
    private var isDone = false

    private var key: PoolKey { making.key }

    init(_ making: ConnectAttempt, pool: ConnectionPool, configuration: NIOTransport.Configuration) {
        self.making = making
        self.pool = pool
        self.configuration = configuration
        // A tunnel has to be opened first, or TLS with a proxy that reads the requests.
        isSecured =
            making.key.origin.scheme == .http && making.key.route?.server.kind != .https && making.key.tunnel == nil
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// The TCP connection won the race. It serves exchanges once TLS is done.
    func adopt(_ attempt: ConnectAttempt) {
        self.attempt = attempt
        connected = .now()
        if let earlyFailure { return refuse(earlyFailure) }
        if isSecured { becomeReady() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(let negotiated) = event {
            isSecured = true
            self.negotiated = negotiated
            if attempt != nil { becomeReady() }
        }
        if event is TunnelHandler.Established {
            connected = .now()
            if key.origin.scheme == .http {
                isSecured = true
                if attempt != nil { becomeReady() }
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isDone { return context.fireChannelRead(data) }
        // In HTTP/2 the server may speak first.
        guard key.origin.scheme == .https else {
            return refuse(TransportFailure.connecting(to: key, ExchangeProgress.Refusal.unexpectedBytes))
        }
        held.append(Self.unwrapInboundIn(data))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if isDone { return context.fireErrorCaught(error) }
        refuse(failure(of: error))
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !isDone { refuse(failure(of: ChannelError.eof)) }
        context.fireChannelInactive()
    }

    /// After the handshake, the error is about the start of the protocol, such as HTTP/2's preface (security rule S30).
    private func failure(of error: any Error) -> ConversationError {
        guard isSecured, key.origin.scheme == .https else { return TransportFailure.connecting(to: key, error) }
        return ClientCertificateFailure.classify(error, key, unused: tls?.tlsVersion)
            ?? TransportFailure.exchanging(with: key, error, .beforeResponse, isUploading: false)
    }

    private var tls: NIOSSLClientHandler? {
        try? context?.pipeline.syncOperations.context(name: Self.tlsName).handler as? NIOSSLClientHandler
    }

    // MARK: Ready

    private func becomeReady() {
        guard let context, let attempt, !isDone else { return }
        let isHTTP2 = negotiated == "h2"
        guard isHTTP2 || held.isEmpty else {
            return refuse(TransportFailure.connecting(to: key, ExchangeProgress.Refusal.unexpectedBytes))
        }
        do {
            let tls = tls
            let connection = try isHTTP2 ? installHTTP2(context) : installHTTP1(context)
            // Writing the preface may have shown that the connection is dead; this handler was told then.
            guard self.attempt != nil else { return }
            guard context.channel.isActive else { throw ChannelError.eof }
            self.attempt = nil
            connection.facts = ConnectionFacts(context.channel, tls, began: attempt.began, connected: connected)
            isDone = true
            attempt.forget()
            handOver(connection, isHTTP2, attempt, context)
        } catch {
            refuse(failure(of: error))
        }
    }

    private func handOver(
        _ connection: Connection, _ isHTTP2: Bool, _ attempt: ConnectAttempt, _ context: ChannelHandlerContext
    ) {
        let pool = pool
        let held = held
        self.held = []
        if isHTTP2 { pool.connectedShared(attempt, connection) } else { pool.connected(attempt, connection) }
        for buffer in held { context.fireChannelRead(Self.wrapInboundOut(buffer)) }
        if !held.isEmpty { context.fireChannelReadComplete() }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    private func installHTTP1(_ context: ChannelHandlerContext) throws -> Connection {
        let handler = HTTP1Handler(key, pool: pool, configuration: configuration)
        try context.pipeline.syncOperations.addHandler(handler, position: .after(self))
        return try Self.connection(handler.connection)
    }

    private func installHTTP2(_ context: ChannelHandlerContext) throws -> Connection {
        let handler = HTTP2Handler(key, pool: pool, configuration: configuration)
        try context.pipeline.syncOperations.addHandlers(
            [
                HTTP2WholeFrames(handler), HTTP2Handler.codec(for: configuration, watch: handler.writtenFrames),
                handler,
            ],
            position: .after(self))
        handler.start()
        return try Self.connection(handler.connection)
    }

    private static func connection(_ added: Connection?) throws -> Connection {
        guard let added else { throw ChannelError.alreadyClosed }
        return added
    }

    // MARK: The end

    /// Ends an attempt whose connection never became ready.
    private func refuse(_ failure: ConversationError) {
        guard !isDone, earlyFailure == nil || attempt != nil else { return }
        let reason = earlyFailure ?? making.failure ?? failure
        earlyFailure = reason
        // The connector may find this handler removed; then it reads the reason from the attempt.
        making.note(reason)
        making.abandonChecks()
        // Closing calls back into this handler. The first reason that was noted wins.
        let refused = attempt
        attempt = nil
        context?.closeWithoutWaiting()
        if let refused { pool.attemptFailed(refused, reason) }
    }
}

@available(*, unavailable)
extension ConnectionSetupHandler: Sendable {}
