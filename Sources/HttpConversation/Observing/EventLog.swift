import Foundation
import Synchronization

/// Numbers and times the events of one conversation and hands them to its observers. Costs nothing where there is none.
final class EventLog: Sendable {
    private struct State {
        var sequence = 0
    }

    private let id: ConversationID
    private let parentID: ConversationID?
    let additionalObservers: [any ConversationObserver]
    private let observers: [any ConversationObserver]
    private let stopwatch: Stopwatch?
    private let start: Date?
    private let state = Mutex(State())

    init(
        id: ConversationID, parentID: ConversationID?, observers: [any ConversationObserver],
        additional: [any ConversationObserver], clock: any Clock<Duration> & Sendable
    ) {
        self.id = id
        self.parentID = parentID
        self.observers = observers + additional
        additionalObservers = additional
        stopwatch = self.observers.isEmpty ? nil : Stopwatch(any: clock)
        start = self.observers.isEmpty ? nil : Date()
    }

    var isActive: Bool { stopwatch != nil }

    /// Builds the event and tells the observers, in order, one event at a time.
    func emit(_ kind: ConversationEvent.Kind, _ fill: (inout ConversationEvent) -> Void = { _ in }) {
        guard let stopwatch, let start else { return }
        let sequence = state.withLock { state in
            defer { state.sequence += 1 }
            return state.sequence
        }
        let elapsed = stopwatch.elapsed
        var event = ConversationEvent(
            kind: kind, conversationID: id, parentID: parentID, sequence: sequence, elapsed: elapsed,
            date: start.addingTimeInterval(elapsed / .seconds(1)))
        fill(&event)
        for observer in observers { observer.observe(event) }
    }
}
