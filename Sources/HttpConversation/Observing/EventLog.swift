import HttpConvPlatform
import Synchronization

/// Gives the events of one conversation numbers and times, and passes them to its observers. Costs nothing without
/// observers.
final class EventLog: Sendable {
    private let id: ConversationID
    private let parentID: ConversationID?
    let additionalObservers: [any ConversationObserver]
    private let observers: [any ConversationObserver]
    /// The time that has passed, and the time on the wall at the start; nil without observers.
    private let time: (stopwatch: Stopwatch, start: Date)?
    let isActive: Bool
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
        id: ConversationID, parentID: ConversationID?, observers: [any ConversationObserver],
        additional: [any ConversationObserver], clock: any Clock<Duration> & Sendable
    ) {
        self.id = id
        self.parentID = parentID
        self.observers = additional.isEmpty ? observers : observers + additional
        additionalObservers = additional
        isActive = !self.observers.isEmpty
        time = isActive ? (Stopwatch(any: clock), Date()) : nil
    }

    /// Tells the observers, in order, one event at a time. Without observers the kind is not evaluated. If another thread
    /// tells them something at that moment, or an observer causes the event, it is told afterwards.
    func emit(_ kind: @autoclosure () -> ConversationEvent.Kind) {
        if isActive { tell(kind) }
    }

    /// Never inlined, because events are large and would enlarge the frame of each waiting conversation.
    @inline(never) private func tell(_ kind: () -> ConversationEvent.Kind) {
        guard let (stopwatch, start) = time else { return }
        let kind = kind()
        let event: ConversationEvent? = state.withLock { state in
            if state.hasEnded, case .waiting = kind { return nil }
            if case .conversationEnded = kind { state.hasEnded = true }
            let event = ConversationEvent(
                kind: kind, conversationID: id, parentID: parentID, sequence: state.sequence,
                elapsed: stopwatch.elapsed, start: start)
            state.sequence += 1
            if state.isTelling {
                state.pending.append(event)
                return nil
            }
            state.isTelling = true
            return event
        }
        if let event { tell(event) }
    }

    /// Tells the observers an event, and those that come meanwhile.
    private func tell(_ event: ConversationEvent) {
        for observer in observers { observer.observe(event) }
        while let next = nextEvents() {
            for event in next {
                for observer in observers { observer.observe(event) }
            }
        }
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
