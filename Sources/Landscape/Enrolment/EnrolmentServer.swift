import Synchronization

/// The state of the enrolment service, which all origins share.
final class EnrolmentServer: Sendable {
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
}
