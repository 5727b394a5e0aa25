import Synchronization

/// The state of the enrolment service, which all origins share.
final class EnrolmentServer: Service {
    private struct State {
        var challenges: [String: String] = [:]
        var fault: EnrolmentFault?
        var lifetime = 7 * 86_400
    }

    /// The gate that holds requests for certificates.
    static let gate = "enrolment"

    let counters = CounterSet(EnrolmentCounters())
    private let state = Mutex(State())

    var fault: EnrolmentFault? {
        get { state.withLock { $0.fault } }
        set { state.withLock { $0.fault = newValue } }
    }

    /// The lifetime of certificates in seconds.
    var lifetime: Int {
        get { state.withLock { $0.lifetime } }
        set { state.withLock { $0.lifetime = newValue } }
    }

    func makeChallenge(for name: String) -> String {
        let challenge = RandomToken.make()
        state.withLock { $0.challenges[challenge] = name }
        return challenge
    }

    /// The user of a challenge. A challenge works once.
    func redeem(_ challenge: String) -> String? { state.withLock { $0.challenges.removeValue(forKey: challenge) } }

    /// Forgets challenges, the fault and the counters.
    func reset() {
        state.withLock { $0 = State() }
        counters.reset()
    }

    // MARK: Commands

    var name: String { "enrolment" }
    var counts: (any Encodable)? { counters.current }

    func perform(_ command: String, _ exchange: ServerExchange) throws -> (any Encodable)? {
        switch command {
        case "challenge": return ["challenge": makeChallenge(for: exchange.parameter("name") ?? "alice")]
        case "fault": fault = try exchange.choice("kind")
        case "lifetime": lifetime = exchange.number("seconds", default: 604_800, in: 1...604_800)
        default: throw AdminFailure.unknown
        }
        return nil
    }

    var commands: [ContentsEntry] {
        [
            ContentsEntry("/admin/enrolment/counters", "GET: what was counted"),
            ContentsEntry(
                "/admin/enrolment/challenge?name=", "POST: a password for one certificate; /admin/hold?path=enrolment"),
            ContentsEntry(
                "/admin/enrolment/fault?kind=, /admin/enrolment/lifetime?seconds=",
                "POST: the fault of certificates; their lifetime"),
        ]
    }
}
