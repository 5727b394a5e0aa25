import HttpConversation
import NIOCore
import Synchronization

/// One request and its response, between the caller's task and a connection. Is also the response's body.
final class TransportExchange: TransportBody, Sendable {
    /// The result of waiting for the response's head.
    enum Outcome: Sendable {
        /// `whole` is the complete body if it arrived with the head.
        case head(ResponseHead, whole: [UInt8]?)
        case failure(ConversationError)
        case retryOnFreshConnection(ConversationError)
        /// The server says that it did not process the request (RFC 9113 §8.7).
        case retryUnprocessed(ConversationError)
        /// The server wants HTTP/1.1 for the request, and did not process it.
        case retryOverHTTP1(ConversationError)
        /// The server wants a certificate for the request, in a handshake that this connection does not allow.
        case retryRenegotiating(ConversationError)
        case retryWithoutExpect
    }

    enum Ending: Sendable {
        case complete
        case failed(ConversationError)
    }

    private struct State {
        var caller: UnsafeContinuation<Outcome, Never>?
        var reader: UnsafeContinuation<Result<[UInt8]?, ConversationError>, Never>?
        var connection: Connection?
        var isReused = false
        var facts: ConnectionFacts?
        /// The connection on which the server refused the request (421).
        var misdirected: Connection?
        /// The number of bytes that the consumer takes before the connection is told, so that it can ask for more
        /// (HTTP/2).
        var creditStep = Int.max
        var taken = 0
        var bytes: [UInt8] = []
        /// Accounts for the memory of the last bytes, until they are taken.
        var memory: (any AnyObject & Sendable)?
        private(set) var ending: Ending?
        /// Whether there is an ending. Comparing it with nil would copy it.
        private(set) var isEnded = false
        var isPaused = false
        var waitTimer: Scheduled<Void>?
        /// The time when connecting began.
        var waitStart: NIODeadline?

        mutating func end(_ ending: Ending) {
            self.ending = ending
            isEnded = true
            connection = nil
        }

        mutating func append(_ burst: [UInt8]) {
            if bytes.isEmpty { bytes = burst } else { bytes += burst }
            isPaused = !isEnded && bytes.count >= TransportExchange.highWatermark
        }
    }

    /// The number of buffered bytes at which reading pauses until the consumer has taken them.
    static let highWatermark = 64 << 10

    let request: WireRequest
    let needsFreshConnection: Bool
    private let pool: ConnectionPool
    private let state = Mutex(State())

    /// - Parameter start: when connecting began, for an exchange that replaces another one
    init(_ request: WireRequest, needsFreshConnection: Bool, since start: NIODeadline? = nil, pool: ConnectionPool) {
        self.request = request
        self.needsFreshConnection = needsFreshConnection
        self.pool = pool
        if let start { state.withLock { $0.waitStart = start } }
    }

    var isReused: Bool { state.withLock(\.isReused) }
    /// The facts about the connection that it used, if the request asks for a report.
    var facts: ConnectionFacts? { state.withLock(\.facts) }

    /// Whether its caller waits for the head.
    var isAwaited: Bool { state.withLock { $0.caller != nil } }

    // MARK: The caller's side

    /// Waits for the head of the response: one suspension, whatever happens on the way.
    func run() async -> Outcome {
        await withTaskCancellationHandler {
            // A continuation is removed from the state under the lock and resumed by the code that removed it: exactly
            // once.
            await withUnsafeContinuation { continuation in
                let failure: ConversationError? = state.withLock { state in
                    if case .failed(let error) = state.ending { return error }
                    state.caller = continuation
                    return nil
                }
                if let failure { return continuation.resume(returning: .failure(failure)) }
                pool.submit(self)
            }
        } onCancel: {
            cancel()
        }
    }

    var hasArrived: Bool { state.withLock(\.isEnded) }

    func next() async throws(ConversationError) -> [UInt8]? {
        if let ready = take() { return try ready.get() }
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in park(continuation) }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    private func take() -> Result<[UInt8]?, ConversationError>? {
        let (result, resumes) = state.withLock { Self.take(&$0) }
        if let resumes { resumes.resumeReading(self) }
        return result
    }

    private static func take(_ state: inout State) -> (Result<[UInt8]?, ConversationError>?, Connection?) {
        if state.isEnded { state.memory = nil }
        if !state.bytes.isEmpty {
            var bytes: [UInt8] = []
            swap(&bytes, &state.bytes)
            state.taken += bytes.count
            let resumes = state.isPaused || state.taken >= state.creditStep ? state.connection : nil
            state.isPaused = false
            return (.success(bytes), resumes)
        }
        switch state.ending {
        case .complete: return (.success(nil), nil)
        case .failed(let error): return (.failure(error), nil)
        case nil: return (nil, nil)
        }
    }

    private func park(_ continuation: UnsafeContinuation<Result<[UInt8]?, ConversationError>, Never>) {
        let (ready, resumes) = state.withLock { state in
            let (result, resumes) = Self.take(&state)
            if result == nil { state.reader = continuation }
            return (result, resumes)
        }
        if let resumes { resumes.resumeReading(self) }
        if let ready { continuation.resume(returning: ready) }
    }

    /// Ends the exchange at once; harmless after its end.
    func cancel() { end(with: .cancelled, tellsConnection: true) }

    /// Takes the connection out of service on which the server refused the request (421).
    func dismissConnection() {
        if let connection = state.withLock({ $0.misdirected.take() }) { pool.dismiss(connection) }
    }

    // MARK: The pool's side

    /// Starts the connect timeout, which runs until there is a connection.
    func startWaiting(on eventLoop: any EventLoop) {
        let now = NIODeadline.now()
        let start = state.withLock { state in
            let start = state.waitStart ?? now
            state.waitStart = start
            return start
        }
        wait(on: eventLoop, since: start, until: nextLook(since: start, now))
    }

    /// The time when connecting began, if the exchange had to wait for a connection.
    var waitStart: NIODeadline? { state.withLock(\.waitStart) }

    /// The time that is left for connecting.
    var timeToConnect: Duration {
        guard let start = waitStart else { return .zero }
        return .nanoseconds(max(0, (connectDeadline(since: start) - .now()).nanoseconds))
    }

    /// - Parameter last: the pool's result when it last learned of the wait; 0 before
    private func wait(
        on eventLoop: any EventLoop, since start: NIODeadline, until deadline: NIODeadline, lastLook last: UInt64 = 0
    ) {
        let timer = eventLoop.scheduleTask(deadline: deadline) { [weak self] in
            guard let self else { return }
            // Time in which the handshake waits for our client certificate does not count: the deadline may have moved,
            // and may still move.
            let (now, deadline) = (NIODeadline.now(), self.connectDeadline(since: start))
            if deadline > now {
                let look = self.pool.waitsLong(self, since: last)
                let next = max(self.nextLook(since: start, now), now + .milliseconds(100))
                return self.wait(on: eventLoop, since: start, until: next, lastLook: look)
            }
            let isConnect = self.connectLimit(since: start) <= self.request.deadline
            self.end(
                with: isConnect
                    ? TransportFailure.connectTimeout(self.request, self.pool.shortage(self.request.key))
                    : TransportFailure.timeLimit(self.request),
                tellsConnection: true)
        }
        let isNeeded = state.withLock { state in
            guard state.caller != nil, state.connection == nil else { return false }
            state.waitTimer = timer
            return true
        }
        if !isNeeded { timer.cancel() }
    }

    /// When to look at the wait again: the pool learns about long ones.
    private func nextLook(since start: NIODeadline, _ now: NIODeadline) -> NIODeadline {
        min(connectDeadline(since: start), now + pool.slowAttemptTime)
    }

    private func connectLimit(since start: NIODeadline) -> NIODeadline {
        start + request.connectTimeout + TimeAmount(request.waited)
    }

    private func connectDeadline(since start: NIODeadline) -> NIODeadline {
        min(connectLimit(since: start), request.deadline)
    }

    /// Takes a connection. Returns false if the exchange is already over.
    ///
    /// - Parameter creditStep: how many bytes the consumer takes before the connection is told
    func attach(_ connection: Connection, isReused: Bool, creditStep: Int = .max) -> Bool {
        let (isAlive, timer) = state.withLock { state -> (Bool, Scheduled<Void>?) in
            guard state.caller != nil, !state.isEnded else { return (false, nil) }
            state.connection = connection
            state.isReused = isReused
            if request.reportsConnection { state.facts = connection.facts }
            state.creditStep = creditStep
            defer { state.waitTimer = nil }
            return (true, state.waitTimer)
        }
        timer?.cancel()
        return isAlive
    }

    // MARK: The connection's side

    /// The number of bytes that the consumer has taken since the last call; 0 if fewer than `least`.
    func takeCredit(atLeast least: Int) -> Int {
        state.withLock { state in
            guard state.taken >= least else { return 0 }
            defer { state.taken = 0 }
            return state.taken
        }
    }

    /// Keeps an object until the consumer has taken the last bytes. Called before the last bytes are delivered.
    func keepUntilRead(_ memory: any AnyObject & Sendable) {
        state.withLock { if !$0.isEnded { $0.memory = memory } }
    }

    private enum Wake {
        case nothing
        case caller(UnsafeContinuation<Outcome, Never>, Outcome)
        case reader(UnsafeContinuation<Result<[UInt8]?, ConversationError>, Never>, Result<[UInt8]?, ConversationError>)
    }

    /// Delivers the head and the bytes of a burst of reads. Returns true if reading should pause until it is consumed.
    func deliver(head: ResponseHead?, bytes: [UInt8], ending: Ending?) -> Bool {
        let (wake, isPaused) = state.withLock { state in
            let wake = Self.deliver(head, bytes, ending, &state)
            return (wake, state.isPaused)
        }
        switch wake {
        case .nothing: break
        case .caller(let caller, let outcome): caller.resume(returning: outcome)
        case .reader(let reader, let result): reader.resume(returning: result)
        }
        return isPaused
    }

    private static func deliver(
        _ head: ResponseHead?, _ bytes: [UInt8], _ ending: Ending?, _ state: inout State
    ) -> Wake {
        guard !state.isEnded else { return .nothing }
        if let head, head.status.code == 421 { state.misdirected = state.connection }
        if let ending { state.end(ending) }
        if let caller = state.caller {
            state.caller = nil
            switch (head, ending) {
            case (let head?, .complete): return .caller(caller, .head(head, whole: bytes))
            case (let head?, _):
                state.append(bytes)
                return .caller(caller, .head(head, whole: nil))
            case (nil, .failed(let error)): return .caller(caller, .failure(error))
            case (nil, _): return .caller(caller, .failure(TransportFailure.inconsistency))
            }
        }
        state.append(bytes)
        guard let reader = state.reader, let result = take(&state).0 else { return .nothing }
        state.reader = nil
        return .reader(reader, result)
    }

    /// Ends the exchange before its response's head.
    func finish(_ outcome: Outcome) {
        if case .failure(let error) = outcome { return end(with: error, tellsConnection: false) }
        let (caller, timer) = state.withLock { state in
            state.connection = nil
            defer {
                state.caller = nil
                state.waitTimer = nil
            }
            return (state.caller, state.waitTimer)
        }
        timer?.cancel()
        caller?.resume(returning: outcome)
    }

    private func end(with error: ConversationError, tellsConnection: Bool) {
        let ended: State? = state.withLock { state in
            guard !state.isEnded else { return nil }
            let before = state
            state.end(.failed(error))
            state.caller = nil
            state.reader = nil
            state.waitTimer = nil
            if error.code == .cancelled {
                state.bytes = []
                state.memory = nil
            }
            return before
        }
        guard let ended else { return }
        ended.waitTimer?.cancel()
        if tellsConnection {
            if let connection = ended.connection { connection.abort(self) } else { pool.withdraw(self) }
        }
        ended.caller?.resume(returning: .failure(error))
        ended.reader?.resume(returning: .failure(error))
    }
}
