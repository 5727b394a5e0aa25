import NIOCore
import NIOPosix
import NIOSSL

/// A listener whose connections are served byte by byte, in TLS if the origin has a certificate.
struct ByteListener: Sendable {
    typealias Stream = NIOAsyncChannel<ByteBuffer, ByteBuffer>
    typealias Server =
        @Sendable (
            Connection, NIOAsyncChannelInboundStream<ByteBuffer>, NIOAsyncChannelOutboundWriter<ByteBuffer>
        ) async throws -> Void

    private let channel: any Channel
    private let running: Task<Void, any Error>

    static func start(
        _ origin: LandscapeOrigin, shared: SharedState, _ serve: @escaping Server
    ) async throws -> ByteListener {
        let tls = try shared.certificates.identity(for: origin).map {
            try NIOSSLContext(configuration: $0.tlsConfiguration())
        }
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(host: "127.0.0.1", port: shared.addresses.wantedPort(of: origin)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    return (
                        connection: try shared.connections.accept(channel, origin: origin), stream: try stream(channel)
                    )
                }
            }
        shared.addresses.set(listener.channel.localAddress?.port, for: origin)
        let running = Task(executorPreference: ServerExecutor()) { try await answerAll(listener, serve) }
        return ByteListener(channel: listener.channel, running: running)
    }

    /// Serves the clients at the same time, until the listener closes.
    private static func answerAll(
        _ listener: NIOAsyncChannel<(connection: Connection, stream: Stream), Never>, _ serve: @escaping Server
    ) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            try await listener.executeThenClose { accepted in
                for try await client in accepted {
                    group.addTask {
                        // A client may close at any time, so the error is ignored.
                        try? await client.stream.executeThenClose { inbound, outbound in
                            try await serve(client.connection, inbound, outbound)
                        }
                    }
                }
            }
        }
    }

    func stop() async {
        try? await channel.close()
        running.cancel()
        _ = await running.result
    }

    /// The bytes of a channel, with ends on each side of their own.
    static func stream(_ channel: any Channel) throws -> Stream {
        try Stream(wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
    }
}
