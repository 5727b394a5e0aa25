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

/// How a peer ends a connection, or leaves it.
enum ConnectionEnd: String, CaseIterable, Sendable {
    /// With TLS's goodbye where there is TLS.
    case close
    case reset
    /// The end of what the peer sends, below TLS; it goes on reading.
    case halfClose
    /// Nothing more comes, and nothing says so.
    case silence

    /// Ends a connection from its script, and waits for the client where it stays open.
    func happen(to connection: ServerConnection) async throws {
        let channel = connection.channel
        if self == .close { return try await channel.close() }
        try await channel.eventLoop.submit { happen(to: channel) }.get()
        if self != .reset { try await connection.untilClosed() }
    }

    /// On the channel's event loop, below TLS.
    func happen(to channel: any Channel) {
        let tls = try? channel.pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
        func close(_ mode: CloseMode) {
            if let tls { tls.close(mode: mode, promise: nil) } else { channel.close(mode: mode, promise: nil) }
        }
        switch self {
        case .close: close(.all)
        case .reset:
            // Done at once on the event loop.
            _ = (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            close(.all)
        case .halfClose: close(.output)
        case .silence: break
        }
    }
}

/// Ends a connection as soon as the server's part of a handshake is on the wire (TLS 1.3): the client is secured by
/// then, and sends on at once.
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
            // The end arrives together with the last bytes: what the client sends then is answered by a reset.
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

    /// What the client says then is not read.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !hasEnded { context.fireChannelRead(data) }
    }
}

@available(*, unavailable)
extension FlightEnd: Sendable {}
