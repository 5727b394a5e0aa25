import HttpConversationConformance
import NIOCore
import NIOPosix
import NIOSSL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The way in which a peer ends or abandons a connection.
enum ConnectionEnd: String, CaseIterable, Sendable {
    /// With a closing alert if there is TLS.
    case close
    case reset
    /// The peer stops sending, below TLS, but still reads.
    case halfClose
    /// Nothing more comes, without any sign.
    case silence

    /// Ends a connection from its script. If it stays open, waits for the client to close it.
    func happen(to connection: ServerConnection) async throws {
        let channel = connection.channel
        if self == .close { return try await channel.close() }
        try await channel.eventLoop.submit { happen(to: channel) }.get()
        if self != .reset { try await connection.untilClosed() }
    }

    /// Ends a connection on its event loop, below TLS.
    func happen(to channel: any Channel) {
        let tls = try? channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        func close(_ mode: CloseMode) {
            if let tls { tls.close(mode: mode, promise: nil) } else { channel.close(mode: mode, promise: nil) }
        }
        switch self {
        case .close: close(.all)
        case .reset:
            // Takes effect at once on the event loop.
            _ = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            close(.all)
        case .halfClose: close(.output)
        case .silence: break
        }
    }
}

/// Ends a connection as soon as the server's part of a handshake is sent (TLS 1.3). The client's TLS is complete by
/// then, and it sends at once.
final class FlightEnd: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    #if os(Linux)
    private static let cork = NIOBSDSocket.Option(rawValue: TCP_CORK)
    #else
    private static let cork = NIOBSDSocket.Option(rawValue: TCP_NOPUSH)
    #endif

    private let end: ConnectionEnd
    private var hasWritten = false
    private var hasEnded = false

    init(_ end: ConnectionEnd) { self.end = end }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !hasEnded else { return }
        if !hasWritten, end == .close || end == .halfClose {
            // The end arrives together with the last bytes, so the client's next bytes are answered by a reset.
            _ = (context.channel as? any SocketOptionProvider)?.unsafeSetSocketOption(
                level: .tcp, name: Self.cork, value: CInt(1))
        }
        hasWritten = true
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard hasWritten, !hasEnded else { return }
        hasEnded = true
        end.happen(to: context.channel)
    }

    /// Drops the client's bytes after the end.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !hasEnded { context.fireChannelRead(data) }
    }
}

@available(*, unavailable)
extension FlightEnd: Sendable {}
