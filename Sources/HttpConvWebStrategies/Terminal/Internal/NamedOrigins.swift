import HttpConversation
import Synchronization

/// The origins whose questions a person expects in one login: those of the settings, and those that the person agreed
/// to (security rule S21).
final class NamedOrigins: Sendable {
    private let ofSettings: Set<Origin>
    private let agreed = Mutex<Set<Origin>>([])

    init(_ origins: Set<Origin>) { ofSettings = origins }

    /// The origins that the person agreed to.
    var confirmed: Set<Origin> { agreed.withLock { $0 } }

    func contains(_ origin: Origin) -> Bool { ofSettings.contains(origin) || confirmed.contains(origin) }
    func add(_ origin: Origin) { agreed.withLock { _ = $0.insert(origin) } }
}
