import NIOCore
import NIOPosix

/// A client of a proxy: HTTP, or SOCKS5 if its first byte says so.
struct ProxyClient {
    let connection: Connection
    var reader: ByteReader
    let writer: NIOAsyncChannelOutboundWriter<ByteBuffer>
    let shared: SharedState

    var proxies: ProxyServer { shared.service() }

    mutating func serve() async throws {
        guard let first = try await reader.peek() else { return }
        if first == 5 { return try await serveSOCKS() }
        while let head = try await reader.upTo("\r\n\r\n") {
            guard try await answer(ProxyRequestHead(head)) else { return }
        }
    }

    func write(_ bytes: some Collection<UInt8>) async throws {
        try await writer.write(ByteBuffer(bytes: bytes))
    }

    /// Reads the client's bytes without answering, until it closes.
    mutating func keepSilent(_ id: Int) async throws {
        while let bytes = try await reader.some() { proxies.saw(bytes, id) }
    }

    /// Opens a connection to a port of this machine, whatever host the client names.
    func connect<Value: Sendable>(
        port: Int, _ initializer: @escaping @Sendable (any Channel) throws -> Value
    ) async throws -> Value {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture { try initializer(channel) }
            }
    }

    /// Confirms the tunnel, and passes bytes both ways until both sides have ended.
    mutating func tunnel(
        _ server: ByteListener.Stream, _ id: Int, answer: [UInt8]
    ) async throws {
        let writer = writer
        // All of it runs in here, so that the server's channel is always closed.
        try await server.executeThenClose { inbound, outbound in
            try await write(answer)
            try await withThrowingTaskGroup { group in
                group.addTask {
                    // The client only sees the end, whatever its cause.
                    do { for try await bytes in inbound { try await writer.write(bytes) } } catch {}
                    writer.finish()
                }
                while let bytes = try await reader.some() {
                    proxies.saw(bytes, id)
                    try await outbound.write(ByteBuffer(bytes: bytes))
                }
                outbound.finish()
                try await group.waitForAll()
            }
        }
    }
}
