import HttpConversation
import Synchronization

/// The OAuth2 part of a configurator. Each change makes a new flow for the managers configured afterwards.
///
/// It is a value, like the configurator. Token managers see changes of the value that they were taken from. A copy
/// separates with its first change: otherwise it would change the tokens of another person (security rule S2).
struct OAuth2Setup: Sendable {
    var supports: [any OAuth2ServerSupport] = [] { didSet { renew() } }
    var settings = OAuth2Settings() { didSet { renew() } }
    var web = WebLoginEnvironment() { didSet { renew() } }
    private(set) var storage: any OAuth2TokenStorage
    private var hasOwnStorage = false
    /// The flow that token managers use.
    private(set) var current: CurrentOAuth2Flow
    /// Shared by the copies of this value, to detect whether there are any.
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

    /// Separates from the former person: the default storage holds their tokens, and their token managers keep the old
    /// flow (security rule S2).
    mutating func identityChanged() {
        if !hasOwnStorage { storage = InMemoryTokenStorage() }
        part()
        renew()
    }

    private mutating func renew() {
        if !isKnownUniquelyReferenced(&mark) { part() }
        current.flow = OAuth2Flow(
            supports: supports, storage: storage, settings: settings, web: web, changes: flow.changes,
            nonces: flow.nonces)
    }

    private mutating func part() {
        mark = CopyMark()
        current = CurrentOAuth2Flow(OAuth2Flow(supports: supports, storage: storage, settings: settings, web: web))
    }
}

/// The flow for the managers configured next; token managers read it each time.
final class CurrentOAuth2Flow: Sendable {
    private let state: Mutex<OAuth2Flow>

    init(_ flow: OAuth2Flow) { state = Mutex(flow) }

    var flow: OAuth2Flow {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
