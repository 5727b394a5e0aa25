import HttpC
import Synchronization

/// Records the outcomes of challenges, so that an unanswered 401 can be explained, and so that a refused login is not
/// repeated.
final class ChallengeOutcomes: ConversationObserver {
    private struct State {
        /// The reason of our own providers' last refusal.
        var refusal: String?
        var answered: ProtectionSpace?
        /// The conversation of that answer.
        var answering: ConversationID?
        /// The last response.
        var response: ObservedResponse?
        /// The source of the password, such as `of -u`.
        var source: String?
        /// Whether an identity provider has refused the login by ECP since that was read last.
        var isECPRefused = false
        /// The last login at each protection space.
        var logins: [ProtectionSpace: Login] = [:]
        /// The refusals in a row at each server and proxy.
        var refusals: [Place: Refusals] = [:]
    }

    /// A server or proxy, with all its realms.
    private struct Place: Hashable {
        let origin: Origin
        let isProxy: Bool

        init(_ space: ProtectionSpace) { (origin, isProxy) = (space.origin, space.isProxy) }
    }

    private struct Refusals {
        let login: UsernamePassword
        var count = 0
        var last: ContinuousClock.Instant
    }

    private struct Login {
        let login: UsernamePassword
        /// The time of its refusal.
        var refusal: ContinuousClock.Instant?
        /// The time when its provider was last asked for another one.
        var look: ContinuousClock.Instant
    }

    /// The time after which a provider is asked for another login in place of a refused one.
    static let pause = Duration.seconds(30)
    /// The time after which a refused login is given again: a few times an hour, below the limits that lock accounts.
    static let patience = Duration.seconds(10 * 60)
    /// The number of protection spaces that are remembered. A server can name as many as it likes.
    static let maximumSpaces = 100

    /// The number of a server's realms that may refuse a login. After that its other realms no longer get it. A server
    /// may put a time or a number into its realm.
    static let maximumRefusals = 2

    private let state = Mutex(State())
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter now: the present time; tests move it
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Records why a provider gave no answer.
    func refused(_ why: String) { state.withLock { $0.refusal = why } }

    var lastRefusal: String? { state.withLock { $0.refusal } }

    /// Records that a server refused user name and password.
    func refusedLogin(at space: ProtectionSpace) {
        let now = now()
        state.withLock {
            $0.logins[space]?.refusal = now
            $0.logins[space]?.look = now
        }
    }

    /// Whether the last login at a protection space was refused.
    func isLoginRefused(at space: ProtectionSpace) -> Bool { state.withLock { $0.logins[space]?.refusal != nil } }

    /// Whether it is time to look for another login in place of a refused one. True once per pause.
    func mayLookAgain(at space: ProtectionSpace) -> Bool {
        let now = now()
        return state.withLock { state in
            guard let look = state.logins[space]?.look, now >= look + Self.pause else { return false }
            state.logins[space]?.look = now
            return true
        }
    }

    /// Records a login that a provider has, unless it was refused a short time ago.
    ///
    /// - Returns: whether it may be given to the server
    func mayGive(_ login: UsernamePassword, at space: ProtectionSpace) -> Bool {
        let now = now()
        return state.withLock { state in
            if let last = state.logins[space], last.login == login, let refusal = last.refusal,
                now < refusal + Self.patience
            {
                return false
            }
            let place = Place(space)
            if let refusals = state.refusals[place], refusals.login == login, now < refusals.last + Self.patience {
                guard refusals.count < Self.maximumRefusals else { return false }
            } else {
                if state.refusals.count >= Self.maximumSpaces { state.refusals = [:] }
                state.refusals[place] = Refusals(login: login, last: now)
            }
            if state.logins[space] == nil, state.logins.count >= Self.maximumSpaces,
                let oldest = state.logins.min(by: { $0.value.look < $1.value.look })
            {
                state.logins[oldest.key] = nil
            }
            state.logins[space] = Login(login: login, refusal: nil, look: now)
            return true
        }
    }

    /// Whether an identity provider has refused the login by ECP since the last call.
    func takeECPRefusal() -> Bool {
        state.withLock { state in
            defer { state.isECPRefused = false }
            return state.isECPRefused
        }
    }

    /// The protection space that got an answer last.
    var answered: ProtectionSpace? { state.withLock { $0.answered } }

    /// A text of the last response without the secrets that its request carried.
    func hidingCredentials(in text: String) -> String {
        state.withLock { $0.response }?.hidingCredentials(in: text) ?? text
    }

    /// The source of the last password, such as `of -u`.
    var source: String? { state.withLock { $0.source } }

    func observe(_ event: ConversationEvent) {
        switch event.kind {
        case .responseReceived(let response):
            state.withLock { state in
                state.response = response
                guard ![401, 407].contains(response.status.code), state.answering == event.conversationID,
                    let answered = state.answered
                else { return }
                state.refusals[Place(answered)]?.count = 0
            }
        case .challengeReceived(let challenge) where challenge.verdict == .refused:
            guard [.basic, .digest].contains(challenge.space.method) else { return }
            let now = now()
            state.withLock { state in
                state.refusals[Place(challenge.space)]?.count += 1
                state.refusals[Place(challenge.space)]?.last = now
            }
        case .login(.passwordGiven(let source)): state.withLock { $0.source = source }
        case .challengeAnswered(let decision) where decision.verdict == .use:
            state.withLock { ($0.answered, $0.answering) = (decision.space, event.conversationID) }
        case .challengeAnswered(let decision) where decision.verdict == .refused:
            guard decision.space.method == .basic, decision.filter == nil else { return }
            refused(
                "\(decision.space.origin) has offered Digest, so no password goes there by Basic; --anyauth allows it")
        case .login(.ticketUnavailable(_, let reason)):
            refused(reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
        case .login(.webLoginFinished(.saml2, _, "ECP", .failed(ECPError.Code.loginRefused.description))):
            state.withLock { $0.isECPRefused = true }
        case .login(.passwordWithheld(_, .plainHTTP)):
            refused("by Basic over plain http a password goes to no server but the one that was named")
        default: return
        }
    }
}
