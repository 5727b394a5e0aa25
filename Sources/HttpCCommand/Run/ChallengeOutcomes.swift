import HttpC
import Synchronization

/// Remembers what became of the challenges, so that an unanswered 401 can be explained.
final class ChallengeOutcomes: ConversationObserver {
    private struct State {
        /// Refusals of our own providers, newest last.
        var refusals: [String] = []
        var answered: ProtectionSpace?
        /// Who gave the password, such as `of -u`.
        var source: String?
        /// Where a password was refused.
        var refusedLogins: Set<ProtectionSpace> = []
    }

    private let state = Mutex(State())

    /// Why a provider gave no answer.
    func refused(_ why: String) { state.withLock { $0.refusals.append(why) } }

    var lastRefusal: String? { state.withLock { $0.refusals.last } }

    /// A server did not accept user name and password.
    func refusedLogin(at space: ProtectionSpace) { state.withLock { _ = $0.refusedLogins.insert(space) } }

    func isLoginRefused(at space: ProtectionSpace) -> Bool { state.withLock { $0.refusedLogins.contains(space) } }

    /// The space that was given an answer last.
    var answered: ProtectionSpace? { state.withLock { $0.answered } }

    /// Who gave the last password, such as `of -u`.
    var source: String? { state.withLock { $0.source } }

    func observe(_ event: ConversationEvent) {
        switch (event.kind, event.verdict) {
        case (.custom(StoryEvent.password), _): state.withLock { $0.source = event.details["source"] }
        case (.challengeAnswered, "use"): state.withLock { $0.answered = event.space }
        case (.challengeAnswered, "refused"):
            guard let space = event.space, space.method == .basic, event.filter == nil else { return }
            refused(
                "\(space.origin) has offered Digest, so no password goes there by Basic; --anyauth allows it")
        case (.custom(FlowEvent.passwordWithheld), _):
            guard event.details["reason"] == "plainHTTP" else { return }
            refused("by Basic over plain http a password goes to no server but the one that was named")
        default: return
        }
    }
}
