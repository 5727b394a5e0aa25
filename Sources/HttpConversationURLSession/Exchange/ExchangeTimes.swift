import HttpConversation

/// The time limits of one exchange, and how much of them is used.
///
/// URLSession does not say when it has a connection: until the first sign of the peer the limits for connecting and for
/// waiting are one.
struct ExchangeTimes {
    /// How far an exchange has come.
    enum Stage: Equatable {
        /// Nothing was heard of the peer.
        case connecting
        /// Some of the request's body was sent.
        case sending
        /// The response's head is there.
        case receiving
    }

    /// A limit that has run out.
    enum Expired { case connectAndIdle, idle, total }

    private let options: TransportOptions
    private let start = ContinuousClock.now
    private var last = ContinuousClock.now
    private var pauses = 0
    private var isWaitingForNetwork = false
    private(set) var stage = Stage.connecting
    /// For how long handshakes had waited for an answer of ours when the exchange began.
    private let waitedBefore: Duration

    init(_ options: TransportOptions) {
        self.options = options
        waitedBefore = options.clientIdentity?.waitingTime ?? .zero
    }

    /// What a server waits for an answer of ours is no time of the peer's.
    private var waited: Duration { options.clientIdentity.map { $0.waitingTime - waitedBefore } ?? .zero }

    private var idleLimit: Duration {
        stage == .connecting ? options.connectTimeout + options.idleTimeout + waited : options.idleTimeout
    }

    private var idleEnd: ContinuousClock.Instant { (pauses > 0 ? .now : last) + idleLimit }
    private var totalEnd: ContinuousClock.Instant? { options.timeLimit.map { start + $0 + waited } }

    /// When to look again: no later than the shorter limit would want that begins with a sign of the peer.
    var next: ContinuousClock.Instant { min(idleEnd, totalEnd ?? idleEnd, .now + options.idleTimeout) }

    /// What has run out by now.
    var expired: Expired? {
        let now = ContinuousClock.now
        if let totalEnd, totalEnd <= now { return .total }
        guard pauses == 0, idleEnd <= now else { return nil }
        return stage == .connecting ? .connectAndIdle : .idle
    }

    mutating func progress() {
        hasNetwork()
        last = .now
        if stage == .connecting { stage = .sending }
    }

    mutating func answered() {
        hasNetwork()
        last = .now
        stage = .receiving
    }

    mutating func waitForNetwork() {
        guard !isWaitingForNetwork else { return }
        isWaitingForNetwork = true
        pause()
    }

    private mutating func hasNetwork() {
        guard isWaitingForNetwork else { return }
        isWaitingForNetwork = false
        goOn()
    }

    /// From now on the peer is not waited for.
    mutating func pause() { pauses += 1 }

    mutating func goOn() {
        pauses -= 1
        last = .now
    }
}
