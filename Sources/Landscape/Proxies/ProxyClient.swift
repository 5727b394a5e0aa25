import NIOCore
import NIOPosix

/// One client of a proxy: HTTP, or SOCKS5 where its first byte says so.
struct ProxyClient {
    let connection: Connection
    var reader: ByteReader
    let writer: NIOAsyncChannelOutboundWriter<ByteBuffer>
    let world: World

    var proxies: ProxyWorld { world.proxies }

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

    /// Reads what the client sends and answers nothing, until it goes.
    mutating func keepSilent(_ id: Int) async throws {
        while let bytes = try await reader.some() { proxies.saw(bytes, id) }
    }

    /// A connection to a port of this machine: whatever host a client names is here.
    func connect<Value: Sendable>(
        port: Int, _ initializer: @escaping @Sendable (any Channel) throws -> Value
    ) async throws -> Value {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture { try initializer(channel) }
            }
    }

    /// Says that the tunnel is there, and passes bytes both ways until both have ended.
    mutating func tunnel(
        _ server: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ id: Int, answer: [UInt8]
    ) async throws {
        let writer = writer
        // All of it in here: whatever becomes of the client, the server's channel has to be closed.
        try await server.executeThenClose { inbound, outbound in
            try await write(answer)
            try await withThrowingTaskGroup { group in
                group.addTask {
                    // Whatever ended it, the client is told by the end of what it gets.
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

    static func bytes(_ channel: any Channel) throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        try NIOAsyncChannel(
            wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }
}
