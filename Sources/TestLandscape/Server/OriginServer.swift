import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix

/// A listening origin: a Hummingbird server in a task of its own.
struct OriginServer: Sendable {
    private let stopping: @Sendable () async -> Void
    private let running: Task<Void, any Error>

    /// Listens and returns once the port is known.
    static func start(_ origin: LandscapeOrigin, shared: SharedState, responder: Responder) async throws -> OriginServer
    {
        let http = HTTP1Channel(
            responder: { request, writer, channel in
                try await responder.respond(to: request, writer: writer, on: channel)
            },
            configuration: .init(idleTimeout: shared.idleTimeout.map { TimeAmount($0) }))
        let channel = LandscapeChannel(base: http, origin: origin, shared: shared)
        guard let identity = shared.certificates.identity(for: origin) else {
            return try await listen(channel, origin: origin, shared: shared)
        }
        let secured = try TLSChannel(channel, tlsConfiguration: identity.tlsConfiguration())
        return try await listen(secured, origin: origin, shared: shared)
    }

    private static func listen(
        _ childChannel: some ServerChildChannel, origin: LandscapeOrigin, shared: SharedState
    ) async throws -> OriginServer {
        let port = shared.addresses.wantedPort(of: origin)
        let (ports, found) = AsyncThrowingStream.makeStream(of: Int.self)
        let server = Server(
            childChannelSetup: childChannel,
            configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: port), backlog: 2048),
            onServerRunning: { found.yield($0.localAddress?.port ?? 0) },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: quietLogger)
        let running = Task(executorPreference: ServerExecutor()) {
            do {
                try await server.run()
                found.finish()
            } catch {
                found.finish(throwing: error)
                throw error
            }
        }
        for try await bound in ports {
            shared.addresses.set(bound, for: origin)
            return OriginServer(stopping: { try? await server.shutdownGracefully() }, running: running)
        }
        throw LandscapeError(.bindFailed, "the origin \(origin.rawValue) stopped before it listened")
    }

    /// Stops accepting, and lets requests in progress finish.
    func beginStopping() async {
        await stopping()
    }

    /// Cancels the remaining requests, and waits for the server's end.
    func finishStopping() async {
        running.cancel()
        _ = await running.result
    }

    private static let quietLogger = Logger(label: "landscape", factory: { _ in SwiftLogNoOpLogHandler() })
}
