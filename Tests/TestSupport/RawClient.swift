public import NIOCore
import NIOPosix

/// Sends bytes and reads the answer, without a library that might correct either.
public enum RawClient {
    /// Sends a text and returns everything that the listener sends before it closes the connection.
    public static func exchange(_ host: String, _ port: Int, _ text: String) async throws -> String {
        let channel = try await open(host, port)
        return try await channel.executeThenClose { inbound, outbound in
            // The listener may have ended the connection before, and its answer is there nevertheless.
            try? await outbound.write(ByteBuffer(string: text))
            var result = ""
            for try await buffer in inbound { result += String(buffer: buffer) }
            return result
        }
    }

    /// Runs work over a connection, which ends with it.
    ///
    /// - Parameter staysOpen: whether the client may go on sending after the listener has ended its side
    public static func converse(
        _ host: String, _ port: Int, staysOpen: Bool = false,
        _ work:
            @Sendable (
                inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator, NIOAsyncChannelOutboundWriter<ByteBuffer>
            ) async throws -> Void
    ) async throws {
        try await open(host, port, staysOpen: staysOpen).executeThenClose { inbound, outbound in
            var iterator = inbound.makeAsyncIterator()
            try await work(&iterator, outbound)
        }
    }

    /// Connects and sends nothing.
    @discardableResult
    public static func connect(_ host: String, _ port: Int) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        let channel = try await open(host, port)
        Task { try await channel.executeThenClose { inbound, _ in for try await _ in inbound {} } }
        return channel
    }

    private static func open(
        _ host: String, _ port: Int, staysOpen: Bool = false
    ) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: staysOpen).connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
            }
    }
}
