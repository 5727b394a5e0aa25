import NIOCore
import Synchronization

/// The open connections of a relay: limited in number, and closed with it.
final class RelayConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosed = false
    }

    private let limit: Int
    private let notices: RefusalNotices
    private let state = Mutex(State())

    init(limit: Int, _ notices: RefusalNotices) {
        self.limit = limit
        self.notices = notices
    }

    /// Adds a connection.
    ///
    /// - Returns: whether it may stay
    func enter(_ channel: any Channel) -> Bool {
        let (isWelcome, isFull) = state.withLock { state in
            let isFull = state.channels.count >= limit
            guard !state.isClosed, !isFull else { return (false, !state.isClosed) }
            state.channels[ObjectIdentifier(channel)] = channel
            return (true, false)
        }
        if isFull { notices.refused(connections: limit) }
        guard isWelcome else { return false }
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { $0.channels[ObjectIdentifier(channel)] = nil }
        }
        return true
    }

    /// Closes all connections, now and later.
    func closeAll() async {
        let channels = state.withLock { state in
            state.isClosed = true
            return Array(state.channels.values)
        }
        for channel in channels { try? await channel.close() }
    }
}
