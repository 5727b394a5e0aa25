import HttpConversation
import Synchronization

/// The OAuth2 part of a configurator: changing it makes a new flow, which the next configured managers get.
///
/// A value, as the configurator is. Token managers see the changes that are made to the value that they were taken from;
/// a copy goes its own way from its first change on, or it would change tokens for another person (security rule S2).
struct OAuth2Setup: Sendable {
    var supports: [any OAuth2ServerSupport] = [] { didSet { renew() } }
    var settings = OAuth2Settings() { didSet { renew() } }
    var web = WebLoginEnvironment() { didSet { renew() } }
    private(set) var storage: any OAuth2TokenStorage
    private var hasOwnStorage = false
    /// What token managers hold.
    private(set) var current: CurrentOAuth2Flow
    /// Held by the copies of this value alone, to tell whether there are any.
    private var mark = CopyMark()

    private final class CopyMark: Sendable {}

    init() {
        let storage = InMemoryTokenStorage()
        self.storage = storage
        current = CurrentOAuth2Flow(
            OAuth2Flow(supports: [], storage: storage, settings: OAuth2Settings(), web: WebLoginEnvironment()))
    }

    var flow: OAuth2Flow { current.flow }

    mutating func use(_ storage: any OAuth2TokenStorage) {
        self.storage = storage
        hasOwnStorage = true
        renew()
    }

    /// Another person: tokens kept by default are not theirs, and token managers of the old one stay with it (security
    /// rule S2).
    mutating func identityChanged() {
        if !hasOwnStorage { storage = InMemoryTokenStorage() }
        part()
        renew()
    }

    private mutating func renew() {
        if !isKnownUniquelyReferenced(&mark) { part() }
        current.flow = OAuth2Flow(
            supports: supports, storage: storage, settings: settings, web: web, changes: flow.changes)
    }

    private mutating func part() {
        mark = CopyMark()
        current = CurrentOAuth2Flow(OAuth2Flow(supports: supports, storage: storage, settings: settings, web: web))
    }
}

/// The flow that the next configured managers get; token managers look here each time.
final class CurrentOAuth2Flow: Sendable {
    private let state: Mutex<OAuth2Flow>

    init(_ flow: OAuth2Flow) { state = Mutex(flow) }

    var flow: OAuth2Flow {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
