import HttpConversation
import Synchronization

/// The origins whose questions a person expects in one login: those that somebody has named, and those that the person
/// agreed to (security rule S21).
final class NamedOrigins: Sendable {
    private let origins: Mutex<Set<Origin>>

    init(_ origins: Set<Origin>) { self.origins = Mutex(origins) }

    func contains(_ origin: Origin) -> Bool { origins.withLock { $0.contains(origin) } }
    func add(_ origin: Origin) { origins.withLock { _ = $0.insert(origin) } }
}
