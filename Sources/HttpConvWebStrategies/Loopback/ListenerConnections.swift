import NIOCore
import Synchronization

/// The open connections of a listener: limited in number, and closed with it.
final class ListenerConnections: Sendable {
    private static let limit = 64
    private let state = Mutex<(channels: [any Channel], isClosed: Bool)>(([], false))

    /// Adds a connection. Beyond the limit the oldest is closed, so that idle connections never block the browser.
    ///
    /// - Returns: whether it may stay
    func enter(_ channel: any Channel) -> Bool {
        let (isWelcome, oldest) = state.withLock { state -> (Bool, (any Channel)?) in
            if state.isClosed { return (false, nil) }
            state.channels.append(channel)
            return (true, state.channels.count > Self.limit ? state.channels.removeFirst() : nil)
        }
        oldest?.close(promise: nil)
        channel.closeFuture.whenComplete { _ in
            self.state.withLock { $0.channels.removeAll { $0 === channel } }
        }
        return isWelcome
    }

    /// Closes all connections, now and later. The last page was flushed before, so it is already sent.
    func closeAll() async {
        let channels = state.withLock { state in
            state.isClosed = true
            return state.channels
        }
        for channel in channels { try? await channel.close() }
    }
}
