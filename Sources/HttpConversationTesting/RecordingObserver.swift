public import HttpConversation
import Synchronization

/// Records events and checks that those of each conversation follow the grammar of `ConversationEvent`.
public final class RecordingObserver: ConversationObserver {
    private struct State {
        var events: [ConversationEvent] = []
        var phases: [ConversationID: Phase] = [:]
        var violations: [String] = []
    }

    /// The position of a conversation in the grammar.
    private enum Phase: String {
        case started, attempting, exchanging, deciding, failed, ended
    }

    private let state = Mutex(State())

    /// An observer without events.
    public init() {}

    /// The observed events, in order.
    public var events: [ConversationEvent] { state.withLock { $0.events } }
    /// The kinds of the events of one conversation; nil: of all.
    public func kinds(of id: ConversationID? = nil) -> [ConversationEvent.Kind] {
        events.filter { id == nil || $0.conversationID == id }.map(\.kind)
    }
    /// The violations of the grammar; empty for a correct engine.
    public var violations: [String] {
        state.withLock { state in
            state.violations
                + state.phases.filter { $0.value != .ended }.map { "\($0.key) never ended: it is \($0.value.rawValue)" }
        }
    }

    public func observe(_ event: ConversationEvent) {
        state.withLock { state in
            let id = event.conversationID
            let expected = state.events.count { $0.conversationID == id }
            if event.sequence != expected {
                state.violations.append("\(id): event \(event.sequence) came as number \(expected)")
            }
            state.events.append(event)
            let (phase, isAllowed) = Self.next(state.phases[id], event.kind)
            if !isAllowed {
                state.violations.append("\(id): \(event.kind) after \(state.phases[id]?.rawValue ?? "nothing")")
            }
            state.phases[id] = phase
        }
    }

    private static func next(_ phase: Phase?, _ kind: ConversationEvent.Kind) -> (Phase?, Bool) {
        switch (phase, kind) {
        case (nil, .conversationStarted): (.started, true)
        case (.started, .attemptStarted), (.deciding, .attemptStarted): (.attempting, true)
        case (.attempting, .exchangeStarted), (.deciding, .exchangeStarted): (.exchanging, true)
        case (.exchanging, .responseReceived): (.deciding, true)
        case (.exchanging, .exchangeFailed): (.failed, true)
        case (.deciding, .redirectDecided), (.deciding, .challengeReceived), (.deciding, .challengeAnswered),
            (.deciding, .responseDecided):
            (.deciding, true)
        case (.ended, .conversationEnded): (.ended, false)
        case (.some, .conversationEnded): (.ended, true)
        case (.some, .bodyReceived), (.some, .clientCertificateUsed), (.some, .waiting), (.some, .login),
            (.some, .custom):
            (phase, true)
        default: (phase, false)
        }
    }
}
