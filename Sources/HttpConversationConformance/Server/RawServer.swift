import HttpConvConcurrency
import NIOCore
import NIOPosix
package import NIOSSL
import Synchronization

/// A server that does exactly what its script says, byte by byte. Each connection runs the script.
package final class RawServer: Sendable {
    package typealias Script = @Sendable (ServerConnection) async throws -> Void

    private let script: Script
    private let executor = ServerExecutor()
    private let boundPort = Atomic<Int>(0)
    private let accepted = Atomic<Int>(0)
    private let closed = Atomic<Int>(0)
    private let changes = ConditionVariable<Int>()
    private let tasks = Mutex<[Task<Void, Never>]>([])

    package var port: Int { boundPort.load(ordering: .acquiring) }
    /// The number of connections accepted so far.
    package var connectionCount: Int { accepted.load(ordering: .acquiring) }
    /// The number of closed connections whose script has ended.
    package var closedCount: Int { closed.load(ordering: .acquiring) }
    package var url: String { "http://127.0.0.1:\(port)" }

    private init(_ script: @escaping Script) { self.script = script }

    /// Waits until `condition` holds. It is evaluated whenever a connection opens or closes.
    package func wait(until condition: @escaping @Sendable (RawServer) -> Bool) async {
        await changes.wait(for: 0) { condition(self) }
    }

    /// Runs a server for as long as `body` runs.
    package static func run<Result: Sendable>(
        host: String = "127.0.0.1", tls: NIOSSLContext? = nil, receiveBuffer: Int? = nil, script: @escaping Script,
        _ body: @Sendable (RawServer) async throws -> Result
    ) async throws -> Result {
        let server = RawServer(script)
        let (listener, reserved) = try await server.listen(on: host, tls, receiveBuffer)
        server.boundPort.store(listener.localAddress?.port ?? 0, ordering: .releasing)
        defer { withExtendedLifetime(reserved) {} }
        do {
            let result = try await body(server)
            try await server.stop(listener)
            return result
        } catch {
            try await server.stop(listener)
            throw error
        }
    }

    /// Listens on a port that is free on the other loopback address, too: a client of `localhost` may try that one
    /// first.
    private func listen(
        on host: String, _ tls: NIOSSLContext?, _ receiveBuffer: Int?
    ) async throws -> (any Channel, ReservedPort?) {
        for _ in 0..<20 {
            let listener = try await bootstrap(tls, receiveBuffer).bind(host: host, port: 0).get()
            let reserved = ReservedPort(listener.localAddress?.port ?? 0, beside: host)
            if reserved.isHeld { return (listener, reserved) }
            try await listener.close()
        }
        return (try await bootstrap(tls, receiveBuffer).bind(host: host, port: 0).get(), nil)
    }

    private func bootstrap(_ tls: NIOSSLContext?, _ receiveBuffer: Int?) -> ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try self.accept(channel, tls, receiveBuffer) }
            }
    }

    /// Adds the handlers of a connection and serves it. Called on its event loop.
    private func accept(_ channel: any Channel, _ tls: NIOSSLContext?, _ receiveBuffer: Int?) throws {
        if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
        if let receiveBuffer {
            try channel.syncOptions?.setOption(.socketOption(.so_rcvbuf), value: SocketOptionValue(receiveBuffer))
        }
        serve(
            try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                wrappingChannelSynchronously: channel,
                configuration: .init(
                    backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2),
                    isOutboundHalfClosureEnabled: false)))
    }

    private func serve(_ channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>) {
        let index = accepted.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
        changes.notifyAll()
        let task = Task(executorPreference: executor) { [self] in
            try? await channel.executeThenClose { inbound, outbound in
                try await script(
                    ServerConnection(channel.channel, inbound.makeAsyncIterator(), outbound, index: index))
            }
            closed.wrappingAdd(1, ordering: .acquiringAndReleasing)
            changes.notifyAll()
        }
        tasks.withLock { $0.append(task) }
    }

    private func stop(_ listener: any Channel) async throws {
        try await listener.close()
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }
}
