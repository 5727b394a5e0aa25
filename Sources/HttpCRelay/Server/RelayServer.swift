package import HttpC
package import HttpCTerminal
import HttpConvPlatform
import HttpConvSystem
import NIOCore
import NIOPosix

/// A relay: listens on this machine, and passes its owner's requests on to one target (security rule S32).
package final class RelayServer: Sendable {
    /// The address for clients, without the secret: `http://127.0.0.1:4711`, or the socket's path.
    package let address: String
    /// The URL with the secret, without a slash at its end; nil for a Unix socket.
    package let secretURL: Redacted<String>?
    private let listening: any Channel
    private let socket: RelaySocket?
    private let connections: RelayConnections

    private init(
        _ listening: any Channel, _ socket: RelaySocket?, _ gate: RelayGate, _ connections: RelayConnections
    ) {
        self.listening = listening
        self.socket = socket
        self.connections = connections
        address = socket?.path ?? "http://\(gate.authority)"
        secretURL = gate.keys.map { Redacted("http://\(gate.authority)/\($0.secret.value)") }
    }

    /// The URL, without a slash at its end, or the socket's path for clients.
    package var clientURL: Redacted<String> { secretURL ?? Redacted(address) }

    /// Listens on 127.0.0.1.
    ///
    /// - Parameter port: 0 for a free one
    package static func start(
        _ client: RelayClient, port: Int, limits: RelayLimits,
        _ activity: RelayActivity = RelayActivity()
    ) async throws(CommandFailure) -> RelayServer {
        let notices = RefusalNotices { client.tell($0) }
        let connections = RelayConnections(limit: limits.connections, notices)
        let keys = RelayKeys()
        // Checked once: later the table may be unreadable for lack of descriptors, and then no client is admitted.
        let check = PeerUser.isKnown ? PeerCheck(notices) : nil
        do {
            let listening = try await bootstrap(connections, limits, check) { channel in
                // The gate needs the port, which is known now.
                let port = channel.localAddress?.port ?? 0
                let gate = RelayGate(place: client.place, authority: authority(port), keys: keys)
                return RelayConnection(gate: gate, client: client, limits: limits, activity: activity)
            }.bind(host: "127.0.0.1", port: port).get()
            let gate = RelayGate(
                place: client.place, authority: authority(listening.localAddress?.port ?? port), keys: keys)
            return RelayServer(listening, nil, gate, connections)
        } catch {
            throw CommandFailure(
                .connectionFailed,
                "Cannot listen on port \(port) of 127.0.0.1: \(reason(error)). Choose another --port.")
        }
    }

    /// Listens on a Unix socket that only this user can open.
    package static func start(
        _ client: RelayClient, socket path: String, limits: RelayLimits,
        _ activity: RelayActivity
    ) async throws(CommandFailure) -> RelayServer {
        let notices = RefusalNotices { client.tell($0) }
        let connections = RelayConnections(limit: limits.connections, notices)
        let gate = RelayGate(place: client.place, authority: "localhost", keys: nil)
        var socket = try RelaySocket(path)
        do {
            try await socket.requireUnused()
            let listening = try await bootstrap(connections, limits, nil) { _ in
                RelayConnection(gate: gate, client: client, limits: limits, activity: activity)
            }.bind(unixDomainSocketPath: socket.draft).get()
            do throws(CommandFailure) { try socket.place() } catch {
                try? await listening.close()
                throw error
            }
            return RelayServer(listening, socket, gate, connections)
        } catch {
            socket.discard()
            if let failure = error as? CommandFailure { throw failure }
            throw CommandFailure(
                .connectionFailed, "Cannot listen on \"\(TerminalText.sanitise(path))\": \(reason(error)).")
        }
    }

    /// Stops listening. Open connections go on.
    package func close() async {
        guard listening.isActive else { return }
        socket?.remove()
        try? await listening.close()
    }

    /// Stops listening, and ends all requests.
    package func stop() async {
        await close()
        await connections.closeAll()
    }

    /// The value of `Host`.
    private static func authority(_ port: Int) -> String { port == 80 ? "127.0.0.1" : "127.0.0.1:\(port)" }

    private static func reason(_ error: any Error) -> String {
        (error as? IOError).map { Posix.reason($0.errnoCode) } ?? "\(error)"
    }

    // MARK: Connections

    /// - Parameter check: the check of the clients' users; nil: there is none
    private static func bootstrap(
        _ connections: RelayConnections, _ limits: RelayLimits, _ check: PeerCheck?,
        _ serve: @escaping @Sendable (any Channel) -> RelayConnection
    ) -> ServerBootstrap {
        return ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                guard connections.enter(channel) else { return channel.close() }
                let admitted = check?.admit(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
                return admitted.flatMapThrowing { try start(serve(channel), on: channel, limits) }
            }
    }

    private static func start(
        _ connection: RelayConnection, on channel: any Channel, _ limits: RelayLimits
    ) throws {
        try RelayPipeline.install(on: channel, limits)
        let wrapped = try RelayConnection.Channel(wrappingChannelSynchronously: channel)
        let task = Task { await connection.serve(wrapped) }
        // A client that is gone waits for no answer.
        channel.closeFuture.whenComplete { _ in task.cancel() }
    }
}
