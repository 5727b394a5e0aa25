import HttpC
import Synchronization

/// Remembers what became of the challenges, so that an unanswered 401 can be explained.
final class LoginLedger: ConversationObserver {
    private struct State {
        /// Refusals of our own providers, newest last.
        var refusals: [String] = []
        var answered: ProtectionSpace?
    }

    private let state = Mutex(State())

    /// Why a provider gave no answer.
    func refused(_ why: String) { state.withLock { $0.refusals.append(why) } }

    var lastRefusal: String? { state.withLock { $0.refusals.last } }

    /// The space that was given an answer last.
    var answered: ProtectionSpace? { state.withLock { $0.answered } }

    func observe(_ event: ConversationEvent) {
        guard event.kind == .challengeAnswered, event.verdict == "use" else { return }
        state.withLock { $0.answered = event.space }
    }
}
