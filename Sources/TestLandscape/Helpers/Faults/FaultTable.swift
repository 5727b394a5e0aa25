import Synchronization

/// The injected faults.
final class FaultTable: Sendable {
    private struct Entry {
        let id: Int
        let pattern: String
        let origin: LandscapeOrigin?
        let fault: Fault
        var remaining: Int?
    }

    private struct State {
        var entries: [Entry] = []
        var nextID = 0
    }

    private let state = Mutex(State())

    func add(_ fault: Fault, at pattern: String, on origin: LandscapeOrigin?, times: Int?) -> Int {
        state.withLock { state in
            state.nextID += 1
            state.entries.append(
                Entry(id: state.nextID, pattern: pattern, origin: origin, fault: fault, remaining: times))
            return state.nextID
        }
    }

    func remove(_ id: Int) {
        state.withLock { $0.entries.removeAll { $0.id == id } }
    }

    func removeAll() {
        state.withLock { $0.entries = [] }
    }

    /// The faults for this request. Limited ones are used up.
    func take(path: String, origin: LandscapeOrigin) -> [Fault] {
        if let builtIn = Self.builtIn(path) { return [builtIn] }
        return state.withLock { state in
            guard !state.entries.isEmpty else { return [] }
            var taken: [Fault] = []
            for index in state.entries.indices where Self.matches(state.entries[index], path, origin) {
                taken.append(state.entries[index].fault)
                state.entries[index].remaining = state.entries[index].remaining.map { $0 - 1 }
            }
            state.entries.removeAll { $0.remaining == 0 }
            return taken
        }
    }

    private static func matches(_ entry: Entry, _ path: String, _ origin: LandscapeOrigin) -> Bool {
        guard entry.origin == nil || entry.origin == origin, entry.remaining != 0 else { return false }
        guard entry.pattern.hasSuffix("*") else { return entry.pattern == path }
        return path.hasPrefix(entry.pattern.dropLast())
    }

    /// The fault of `/fault/NAME`.
    private static func builtIn(_ path: String) -> Fault? {
        guard path.hasPrefix("/fault/") else { return nil }
        return Fault.named[String(path.dropFirst(7).prefix { $0 != "/" })]
    }
}
