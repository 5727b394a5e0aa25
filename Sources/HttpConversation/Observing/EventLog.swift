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
    private let sequence = Mutex(0)

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

    /// Tells the observers, in order, one event at a time. Without observers the kind is not evaluated.
    func emit(_ kind: @autoclosure () -> ConversationEvent.Kind) {
        if isActive { tell(kind) }
    }

    /// Never inlined, because events are large and would enlarge the frame of each waiting conversation.
    @inline(never) private func tell(_ kind: () -> ConversationEvent.Kind) {
        guard let (stopwatch, start) = time else { return }
        let number = sequence.withLock { sequence in
            defer { sequence += 1 }
            return sequence
        }
        let event = ConversationEvent(
            kind: kind(), conversationID: id, parentID: parentID, sequence: number, elapsed: stopwatch.elapsed,
            start: start)
        for observer in observers { observer.observe(event) }
    }
}
