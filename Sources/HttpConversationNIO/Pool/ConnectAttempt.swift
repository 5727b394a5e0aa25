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
        var checks: [Int: Task<Void, Never>] = [:]
        var lastCheck = 0
        /// Ends the look-up of the host's name.
        var endLookUp: (@Sendable () -> Void)?
        /// The pool's timer.
        var timer: Scheduled<Void>?
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
    func allowQuestions(_ questions: HandshakeQuestions?) {
        guard let questions else { return }
        let lease = HandshakeQuestions.Lease(questions)
        state.withLock { if !$0.isCancelled { $0.lease = lease } }
    }

    /// Runs work that prepares the connection or judges a server. It is cancelled when the attempt ends.
    ///
    /// There may be several: each socket of Happy Eyeballs is judged for itself.
    func check(_ work: @escaping @Sendable () async -> Void) {
        let isOver = state.withLock { state in
            guard !state.isCancelled else { return true }
            state.lastCheck += 1
            let number = state.lastCheck
            state.checks[number] = Task { [self] in
                await work()
                self.state.withLock { $0.checks[number] = nil }
            }
            return false
        }
        // It has to run nevertheless: a handshake waits for its result.
        if isOver { Task { await work() }.cancel() }
    }

    /// Whether the connection is being prepared, or a server judged.
    var isChecking: Bool { state.withLock { !$0.checks.isEmpty } }

    /// The time for which handshakes with the attempt's client certificate have waited for an answer so far.
    var askedTime: Duration { key.identity?.waitingTime ?? .zero }

    /// Keeps the pool's timer, which ends with the attempt.
    func watched(by timer: Scheduled<Void>) {
        let isOver = state.withLock { state in
            if !state.isCancelled { state.timer = timer }
            return state.isCancelled
        }
        if isOver { timer.cancel() }
    }

    /// Ends the look-up of the host's name with the attempt.
    func setLookUp(endedBy end: @escaping @Sendable () -> Void) {
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
            defer { state.checks = [:] }
            return Array(state.checks.values)
        }
    }

    /// Gives up the sockets: they belong to a connection now.
    func forget() {
        let (lease, timer) = state.withLock { state in
            state.channels = []
            state.checks = [:]
            state.endLookUp = nil
            return (state.lease.take(), state.timer.take())
        }
        timer?.cancel()
        withExtendedLifetime(lease) {}
    }

    /// Ends the attempt: no exchange waits for it.
    func cancel() {
        let (channels, lease, endLookUp, timer) = state.withLock { state in
            state.isCancelled = true
            defer { state.channels = [] }
            return (state.channels, state.lease.take(), state.endLookUp.take(), state.timer.take())
        }
        timer?.cancel()
        withExtendedLifetime(lease) {}
        endLookUp?()
        abandonChecks()
        for channel in channels { channel.close(promise: nil) }
    }
}
