import HttpConversation

/// The time limits of one exchange, and the time that it has used.
///
/// URLSession does not report when it has a connection. Until the peer's first sign, the connect and idle timeouts are
/// one limit.
struct ExchangeTimes {
    /// The stage of an exchange.
    enum Stage: Equatable {
        /// The peer has sent nothing yet.
        case connecting
        /// Some of the request's body has been sent.
        case sending
        /// The response's head has arrived.
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
    /// The time that handshakes had already waited for our client certificate when the exchange began.
    private let waitedBefore: Duration

    init(_ options: TransportOptions) {
        self.options = options
        waitedBefore = options.clientIdentity?.waitingTime ?? .zero
    }

    /// The time that the server has waited for our client certificate, which does not count as the peer's.
    private var waited: Duration { options.clientIdentity.map { $0.waitingTime - waitedBefore } ?? .zero }

    private var idleLimit: Duration {
        stage == .connecting ? options.connectTimeout + options.idleTimeout + waited : options.idleTimeout
    }

    private var idleEnd: ContinuousClock.Instant { (pauses > 0 ? .now : last) + idleLimit }
    private var totalEnd: ContinuousClock.Instant? { options.timeLimit.map { start + $0 + waited } }

    /// The time to check the limits again. Early enough for the shorter limit that starts with the peer's first sign.
    var next: ContinuousClock.Instant { min(idleEnd, totalEnd ?? idleEnd, .now + options.idleTimeout) }

    /// The limit that has expired, if any.
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
        resume()
    }

    /// Pauses the idle limit: the exchange does not wait for the peer now.
    mutating func pause() { pauses += 1 }

    mutating func resume() {
        pauses -= 1
        last = .now
    }
}
