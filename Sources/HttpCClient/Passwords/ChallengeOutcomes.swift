import HttpC
import Synchronization

/// Records the outcomes of challenges, so that an unanswered 401 can be explained.
final class ChallengeOutcomes: ConversationObserver {
    private struct State {
        /// The reasons of our own providers' refusals, newest last.
        var refusals: [String] = []
        var answered: ProtectionSpace?
        /// The source of the password, such as `of -u`.
        var source: String?
        /// The protection spaces that refused a password.
        var refusedLogins: Set<ProtectionSpace> = []
    }

    private let state = Mutex(State())

    /// Records why a provider gave no answer.
    func refused(_ why: String) { state.withLock { $0.refusals.append(why) } }

    var lastRefusal: String? { state.withLock { $0.refusals.last } }

    /// Records that a server refused user name and password.
    func refusedLogin(at space: ProtectionSpace) { state.withLock { _ = $0.refusedLogins.insert(space) } }

    func isLoginRefused(at space: ProtectionSpace) -> Bool { state.withLock { $0.refusedLogins.contains(space) } }

    /// The protection space that got an answer last.
    var answered: ProtectionSpace? { state.withLock { $0.answered } }

    /// The source of the last password, such as `of -u`.
    var source: String? { state.withLock { $0.source } }

    func observe(_ event: ConversationEvent) {
        switch event.kind {
        case .login(.passwordGiven(let source)): state.withLock { $0.source = source }
        case .challengeAnswered(let decision) where decision.verdict == .use:
            state.withLock { $0.answered = decision.space }
        case .challengeAnswered(let decision) where decision.verdict == .refused:
            guard decision.space.method == .basic, decision.filter == nil else { return }
            refused(
                "\(decision.space.origin) has offered Digest, so no password goes there by Basic; --anyauth allows it")
        case .login(.ticketUnavailable(_, let reason)):
            refused(reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
        case .login(.passwordWithheld(_, .plainHTTP)):
            refused("by Basic over plain http a password goes to no server but the one that was named")
        default: return
        }
    }
}
