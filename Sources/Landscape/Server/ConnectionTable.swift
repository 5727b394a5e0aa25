import NIOCore
import Synchronization

/// The open connections of all origins of a landscape.
final class ConnectionTable: Sendable {
    private struct State {
        var nextID = 0
        var open: [ObjectIdentifier: Connection] = [:]
    }

    private let state = Mutex(State())
    private let tally: Tally

    init(tally: Tally) {
        self.tally = tally
    }

    /// Registers an accepted channel until it closes.
    func accept(_ channel: any Channel, origin: LandscapeOrigin, wire: WireHandler) -> Connection {
        let id = nextID()
        let connection = Connection(id: id, origin: origin, channel: channel, wire: wire)
        let key = ObjectIdentifier(channel)
        state.withLock { $0.open[key] = connection }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { _ = $0.open.removeValue(forKey: key) }
            connection.markGone()
            self.tally.count(\.openConnections, by: -1)
        }
        return connection
    }

    /// Counts an accepted connection and gives it a number.
    func nextID() -> Int {
        tally.count(\.acceptedConnections)
        tally.count(\.openConnections)
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
