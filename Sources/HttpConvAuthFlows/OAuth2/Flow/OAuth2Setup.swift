import HttpConversation

/// The OAuth2 part of a configurator: changing it makes a new flow, which the next configured managers get.
struct OAuth2Setup: Sendable {
    var supports: [any OAuth2ServerSupport] = [] { didSet { renew() } }
    var settings = OAuth2Settings() { didSet { renew() } }
    var web = WebLoginEnvironment() { didSet { renew() } }
    private(set) var storage: any OAuth2TokenStorage
    private var hasOwnStorage = false
    private(set) var flow: OAuth2Flow

    init() {
        let storage = InMemoryTokenStorage()
        self.storage = storage
        flow = OAuth2Flow(
            supports: [], storage: storage, settings: OAuth2Settings(), web: WebLoginEnvironment())
    }

    mutating func use(_ storage: any OAuth2TokenStorage) {
        self.storage = storage
        hasOwnStorage = true
        renew()
    }

    /// Another person: tokens kept by default are not theirs (security rule S2).
    mutating func identityChanged() {
        if !hasOwnStorage { storage = InMemoryTokenStorage() }
        renew()
    }

    func configure(_ configuration: inout HttpConversationManager.Configuration) {
        let filter = OAuth2Filter(flow: flow)
        configuration.requestFilters.add(filter, id: OAuth2Filter.id)
        configuration.challengeFilters.add(filter, id: OAuth2Filter.id)
        configuration.responseFilters.add(filter, id: OAuth2Filter.id)
    }

    private mutating func renew() {
        flow = OAuth2Flow(
            supports: supports, storage: storage, settings: settings, web: web)
    }
}
