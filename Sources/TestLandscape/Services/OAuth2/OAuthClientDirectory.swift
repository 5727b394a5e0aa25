import Synchronization

/// The clients of the authorization server, by id.
final class OAuthClientDirectory: Sendable {
    private let clients: Mutex<[String: OAuthClient]>

    init(_ clients: [OAuthClient]) {
        self.clients = Mutex(Dictionary(clients.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last }))
    }

    var all: [OAuthClient] {
        clients.withLock { $0.values.sorted { $0.id < $1.id } }
    }

    subscript(id: String) -> OAuthClient? {
        clients.withLock { $0[id] }
    }

    func set(_ client: OAuthClient) {
        clients.withLock { $0[client.id] = client }
    }

    func remove(_ id: String) {
        clients.withLock { $0[id] = nil }
    }
}
