import NIOCore
import NIOPosix

/// The listener behind ``RawOrigin``.
struct RawServer: Sendable {
    private typealias Client = (connection: Connection, stream: NIOAsyncChannel<ByteBuffer, ByteBuffer>)

    private let channel: any Channel
    private let running: Task<Void, any Error>

    static func start(world: World) async throws -> RawServer {
        let port = world.configuration.basePort.map { $0 + LandscapeOrigin.raw.portOffset } ?? 0
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .bind(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture { try prepare(channel, world: world) }
            }
        world.addresses.set(listener.channel.localAddress?.port ?? 0, for: .raw)
        let running = Task {
            try await withThrowingDiscardingTaskGroup { group in
                try await listener.executeThenClose { clients in
                    for try await client in clients {
                        group.addTask { await serve(client, world: world) }
                    }
                }
            }
        }
        return RawServer(channel: listener.channel, running: running)
    }

    func stop() async {
        try? await channel.close()
        running.cancel()
        _ = await running.result
    }

    private static func prepare(_ channel: any Channel, world: World) throws -> Client {
        let connection = try world.connections.accept(channel, origin: .raw)
        return (connection, try NIOAsyncChannel(wrappingChannelSynchronously: channel))
    }

    private static func serve(_ client: Client, world: World) async {
        // Broken connections are normal on this origin, so the error is ignored.
        try? await client.stream.executeThenClose { inbound, _ in
            var reader = RawRequestReader()
            for try await buffer in inbound {
                reader.append(buffer)
                while let request = reader.next() {
                    try await answer(request, on: client.connection, world: world)
                }
            }
        }
    }

    private static func answer(_ request: RawRequestReader.Head, on connection: Connection, world: World) async throws {
        let id = world.record(
            origin: .raw, connection: connection.id, method: request.method, target: request.target,
            fields: request.fields)
        let path = String(request.target.prefix { $0 != "?" })
        if let gate = world.gates.gate(for: path) { await connection.cancellingWhenGone { await gate.pass() } }
        let script =
            world.wireScripts[path] ?? WireScript("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        world.recorder.update(id) { $0.status = script.status }
        try await script.run(on: connection)
    }
}
