import NIOCore
import NIOPosix
import NIOSSL

/// The listener behind ``LandscapeOrigin/proxy`` and ``LandscapeOrigin/secureProxy``.
struct ProxyListener: Sendable {
    private typealias Accepted = (connection: Connection, stream: NIOAsyncChannel<ByteBuffer, ByteBuffer>)

    private let channel: any Channel
    private let running: Task<Void, any Error>

    static func start(_ origin: LandscapeOrigin, world: World) async throws -> ProxyListener {
        let tls = try world.certificates.identity(for: origin).map {
            try NIOSSLContext(configuration: $0.tlsConfiguration())
        }
        let port = world.configuration.basePort.map { $0 + origin.portOffset } ?? 0
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture { try prepare(channel, origin, tls, world) }
            }
        world.addresses.set(listener.channel.localAddress?.port ?? 0, for: origin)
        let running = Task {
            try await withThrowingDiscardingTaskGroup { group in
                try await listener.executeThenClose { accepted in
                    for try await client in accepted {
                        group.addTask { await serve(client, world) }
                    }
                }
            }
        }
        return ProxyListener(channel: listener.channel, running: running)
    }

    func stop() async {
        try? await channel.close()
        running.cancel()
        _ = await running.result
    }

    private static func prepare(
        _ channel: any Channel, _ origin: LandscapeOrigin, _ tls: NIOSSLContext?, _ world: World
    ) throws -> Accepted {
        if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
        let connection = try world.connections.accept(channel, origin: origin)
        return (
            connection,
            try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        )
    }

    private static func serve(_ accepted: Accepted, _ world: World) async {
        // A client may close at any time, so the error is ignored.
        try? await accepted.stream.executeThenClose { inbound, outbound in
            var client = ProxyClient(
                connection: accepted.connection, reader: ByteReader(inbound.makeAsyncIterator()), writer: outbound,
                world: world)
            try await client.serve()
        }
    }
}
