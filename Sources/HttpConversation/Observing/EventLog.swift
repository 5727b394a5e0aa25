import HttpConvPlatform
import Synchronization

/// Gives the events of one conversation numbers and times, and passes them to its observers. A conversation without
/// observers has none.
final class EventLog: Sendable {
    private let id: ConversationID
    private let parentID: ConversationID?
    /// The observers of this conversation and its children only.
    let additionalObservers: [any ConversationObserver]
    private let observers: Observers
    private let stopwatch: Stopwatch
    /// The time on the wall at the start.
    private let start: Date
    private let state = Mutex(State())

    private struct State {
        /// The number of the next event.
        var sequence = 0
        /// Events that wait until the observers have got the ones before.
        var pending: [ConversationEvent] = []
        /// Whether a thread tells the observers.
        var isTelling = false
        /// Whether the conversation has ended. A wait that is reported later concerns nobody.
        var hasEnded = false
    }

    init(
        id: ConversationID, parentID: ConversationID?, observers: Observers, additional: [any ConversationObserver],
        clock: any Clock<Duration> & Sendable
    ) {
        self.id = id
        self.parentID = parentID
        self.observers = observers
        additionalObservers = additional
        stopwatch = Stopwatch(any: clock)
        start = Date()
    }

    /// Tells the observers, in order, one event at a time. If another thread tells them something at that moment, or an
    /// observer causes the event, it is told afterwards.
    ///
    /// Never inlined, because events are large and would enlarge the frame of each waiting conversation.
    ///
    /// - Parameter kind: not evaluated without a log
    @inline(never) func emit(_ kind: @autoclosure () -> ConversationEvent.Kind) {
        let kind = kind()
        func event(_ number: Int, _ elapsed: Duration) -> ConversationEvent {
            ConversationEvent(
                kind: kind, conversationID: id, parentID: parentID, sequence: number, elapsed: elapsed,
                start: start)
        }
        // The lock returns numbers, because an event takes longer to pass on.
        let turn: (number: Int, elapsed: Duration)? = state.withLock { state in
            if state.hasEnded, case .waiting = kind { return nil }
            if case .conversationEnded = kind { state.hasEnded = true }
            let (number, elapsed) = (state.sequence, stopwatch.elapsed)
            state.sequence += 1
            if state.isTelling {
                state.pending.append(event(number, elapsed))
                return nil
            }
            state.isTelling = true
            return (number, elapsed)
        }
        if let turn { tell(event(turn.number, turn.elapsed)) }
    }

    /// Tells the observers an event, and those that come meanwhile.
    private func tell(_ event: ConversationEvent) {
        observers.tell(event)
        while let next = nextEvents() { next.forEach(observers.tell) }
    }

    private func nextEvents() -> [ConversationEvent]? {
        state.withLock { state in
            if state.pending.isEmpty {
                state.isTelling = false
                return nil
            }
            defer { state.pending = [] }
            return state.pending
        }
    }
}
