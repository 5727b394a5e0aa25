import HttpConversation
import NIOCore
import Synchronization

/// An attempt to make one connection. Happy Eyeballs may try several sockets for it.
final class ConnectAttempt: Sendable {
    private struct State {
        var channels: [any Channel] = []
        var isCancelled = false
        var failure: ConversationError?
        var lease: HandshakeQuestions.Lease?
        var checks: [Task<Void, Never>] = []
        /// Ends the look-up of the host's name.
        var endLookUp: (@Sendable () -> Void)?
    }

    let key: PoolKey
    /// The event loop of the task whose request needs the connection; nil: the task runs elsewhere.
    let callersLoop: (any EventLoop)?
    let began = NIODeadline.now()
    private let state = Mutex(State())

    init(key: PoolKey, callersLoop: (any EventLoop)? = nil) {
        self.key = key
        self.callersLoop = callersLoop
    }

    var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// Adds a socket. Returns false if the attempt is already over.
    func add(_ channel: any Channel) -> Bool {
        state.withLock { state in
            if !state.isCancelled { state.channels.append(channel) }
            return !state.isCancelled
        }
    }

    /// The reason why a connected socket never served.
    var failure: ConversationError? { state.withLock(\.failure) }

    func note(_ failure: ConversationError) {
        state.withLock { $0.failure = $0.failure ?? failure }
    }

    /// Allows the attempt's handshakes to ask for a client certificate until the attempt is over.
    func mayAsk(_ questions: HandshakeQuestions?) {
        guard let questions else { return }
        let lease = HandshakeQuestions.Lease(questions)
        state.withLock { if !$0.isCancelled { $0.lease = lease } }
    }

    /// Adds a task that prepares the connection or judges a server. It is cancelled when the last waiter gives up.
    ///
    /// There may be several: preparing may still be about to be added when the server is judged already, and each
    /// socket of Happy Eyeballs is judged for itself.
    func addCheck(_ task: Task<Void, Never>) {
        let isOver = state.withLock { state in
            if !state.isCancelled { state.checks.append(task) }
            return state.isCancelled
        }
        if isOver { task.cancel() }
    }

    /// Ends the look-up of the host's name with the attempt.
    func looksUp(endingBy end: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isCancelled { state.endLookUp = end }
            return state.isCancelled
        }
        if isOver { end() }
    }

    /// Cancels the judgement because the connection ended first.
    func abandonChecks() { takeChecks().forEach { $0.cancel() } }

    private func takeChecks() -> [Task<Void, Never>] {
        state.withLock { state in
            defer { state.checks = [] }
            return state.checks
        }
    }

    /// Gives up the sockets: they belong to a connection now.
    func forget() {
        _ = state.withLock { state in
            state.channels = []
            state.checks = []
            state.endLookUp = nil
            return state.lease.take()
        }
    }

    /// Ends the attempt: no exchange waits for it.
    func cancel() {
        let (channels, lease, endLookUp) = state.withLock { state in
            state.isCancelled = true
            defer { state.channels = [] }
            return (state.channels, state.lease.take(), state.endLookUp.take())
        }
        withExtendedLifetime(lease) {}
        endLookUp?()
        abandonChecks()
        for channel in channels { channel.close(promise: nil) }
    }
}
