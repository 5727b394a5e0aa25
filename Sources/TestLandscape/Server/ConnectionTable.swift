import NIOCore
import Synchronization

/// The open connections of all origins of a landscape.
final class ConnectionTable: Sendable {
    private struct State {
        var nextID = 0
        var open: [ObjectIdentifier: Connection] = [:]
    }

    private let state = Mutex(State())
    private let counters: CounterSet<LandscapeCounters>
    private let executor = ServerExecutor()

    init(counters: CounterSet<LandscapeCounters>) {
        self.counters = counters
    }

    /// Adds our lower handlers to an accepted channel's pipeline and registers it until it closes.
    func accept(_ channel: any Channel, origin: LandscapeOrigin) throws -> Connection {
        let (socket, wire) = (SocketHandler(), WireHandler())
        try channel.pipeline.syncOperations.addHandler(socket, position: .first)
        try channel.pipeline.syncOperations.addHandler(wire)
        let connection = Connection(
            id: nextID(), origin: origin, channel: channel, executor: executor, wire: wire, socket: socket)
        wire.connection = connection
        let key = ObjectIdentifier(channel)
        state.withLock { $0.open[key] = connection }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { _ = $0.open.removeValue(forKey: key) }
            connection.markGone()
            self.counters.count(\.openConnections, by: -1)
        }
        return connection
    }

    /// Counts an accepted connection and gives it a number.
    private func nextID() -> Int {
        counters.count(\.acceptedConnections)
        counters.count(\.openConnections)
        return state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }

    func connection(for channel: any Channel) -> Connection? {
        state.withLock { $0.open[ObjectIdentifier(channel)] }
    }

    var all: [Connection] { state.withLock { Array($0.open.values) } }
}
