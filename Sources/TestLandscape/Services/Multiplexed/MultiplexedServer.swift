import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL

/// The listener of ``LandscapeOrigin/multiplexed``: HTTP/2 frame by frame, or HTTP/1.1 if the client chooses that.
struct MultiplexedServer: Sendable {
    private let channel: any Channel

    static func start(shared: SharedState) async throws -> MultiplexedServer {
        guard let identity = shared.certificates.identity(for: .multiplexed) else {
            throw LandscapeError(.certificate, "the origin of HTTP/2 has no certificate")
        }
        var tls = try identity.tlsConfiguration()
        tls.applicationProtocols = ["h2", "http/1.1"]
        let context = try NIOSSLContext(configuration: tls)
        let turns = FaultTurns()
        let port = shared.addresses.wantedPort(of: .multiplexed)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 2048)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    let connection = try shared.connections.accept(channel, origin: .multiplexed)
                    return connection
                }.flatMap { connection in prepare(channel, connection, shared, turns) }
            }
            .bind(host: "127.0.0.1", port: port).get()
        shared.addresses.set(channel.localAddress?.port, for: .multiplexed)
        return MultiplexedServer(channel: channel)
    }

    func stop() async { try? await channel.close() }

    private static func prepare(
        _ channel: any Channel, _ connection: Connection, _ shared: SharedState, _ turns: FaultTurns
    ) -> EventLoopFuture<Void> {
        channel.configureHTTP2SecureUpgrade { channel in
            channel.eventLoop.makeCompletedFuture {
                var configuration = NIOHTTP2Handler.ConnectionConfiguration()
                configuration.initialSettings = [
                    HTTP2Setting(parameter: .maxConcurrentStreams, value: 1000),
                    HTTP2Setting(parameter: .maxHeaderListSize, value: 64 << 10),
                ]
                try channel.pipeline.syncOperations.addHandlers([
                    NIOHTTP2Handler(mode: .server, connectionConfiguration: configuration),
                    MultiplexedHandler(connection, shared, turns),
                ])
            }
        } http1ChannelConfigurator: { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
                try channel.pipeline.syncOperations.addHandler(FallbackHandler(connection, shared))
            }
        }
    }
}
