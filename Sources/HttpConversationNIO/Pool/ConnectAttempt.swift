import HttpConversation
import NIOCore
import Synchronization

/// One connection in the making; Happy Eyeballs may try several sockets for it.
final class ConnectAttempt: Sendable {
    private struct State {
        var channels: [any Channel] = []
        var isCancelled = false
        var failure: ConversationError?
    }

    let key: PoolKey
    private let state = Mutex(State())

    init(key: PoolKey) { self.key = key }

    var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Notes a socket; false where the attempt is over already.
    func add(_ channel: any Channel) -> Bool {
        state.withLock { state in
            if !state.isCancelled { state.channels.append(channel) }
            return !state.isCancelled
        }
    }

    /// Why a socket that was connected never served.
    var failure: ConversationError? { state.withLock(\.failure) }

    func note(_ failure: ConversationError) {
        state.withLock { $0.failure = $0.failure ?? failure }
    }

    /// The sockets belong to a connection now.
    func forget() { state.withLock { $0.channels = [] } }

    /// Nobody waits for it any more.
    func cancel() {
        let channels = state.withLock { state in
            state.isCancelled = true
            defer { state.channels = [] }
            return state.channels
        }
        for channel in channels { channel.close(promise: nil) }
    }
}
