import HttpConversation
import NIOCore
import Synchronization

/// One connection in the making; Happy Eyeballs may try several sockets for it.
final class ConnectAttempt: Sendable {
    private struct State {
        var channels: [any Channel] = []
        var isCancelled = false
        var failure: ConversationError?
        var lease: HandshakeQuestions.Lease?
        var check: Task<Void, Never>?
    }

    let key: PoolKey
    let began = NIODeadline.now()
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

    /// Its handshakes may ask for a certificate, until it is over.
    func mayAsk(_ questions: HandshakeQuestions?) {
        guard let questions else { return }
        let lease = HandshakeQuestions.Lease(questions)
        state.withLock { if !$0.isCancelled { $0.lease = lease } }
    }

    /// The server is being judged: not longer than somebody waits for it.
    func checks(in task: Task<Void, Never>) {
        let isOver = state.withLock { state in
            state.check = task
            return state.isCancelled
        }
        if isOver { task.cancel() }
    }

    /// The connection ended before the server was judged.
    func abandonCheck() { state.withLock { $0.check.take() }?.cancel() }

    /// The sockets belong to a connection now.
    func forget() {
        _ = state.withLock { state in
            state.channels = []
            state.check = nil
            return state.lease.take()
        }
    }

    /// Nobody waits for it any more.
    func cancel() {
        let (channels, lease, check) = state.withLock { state in
            state.isCancelled = true
            defer { state.channels = [] }
            return (state.channels, state.lease.take(), state.check.take())
        }
        withExtendedLifetime(lease) {}
        check?.cancel()
        for channel in channels { channel.close(promise: nil) }
    }
}
