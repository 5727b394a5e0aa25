package import HttpConversation
import Synchronization

/// The connections of a session, which stands for the user.
final class RegisteredConnections: Sendable {
    private struct Entry {
        var id: String?
        /// The changes since the registration. A new connection gets them, too.
        var written = ConnectionProperties()
    }

    private let entries = Mutex<[ConnectionKey: Entry]>([:])

    static func of(_ session: HttpSession) -> RegisteredConnections {
        session.flowState { RegisteredConnections() }
    }

    func id(of application: MobileApplication) -> String? {
        entries.withLock { $0[ConnectionKey(application)]?.id }
    }

    func set(_ id: String, of application: MobileApplication) {
        entries.withLock { $0[ConnectionKey(application), default: Entry()].id = id }
    }

    func written(of application: MobileApplication) -> ConnectionProperties {
        entries.withLock { $0[ConnectionKey(application)]?.written ?? ConnectionProperties() }
    }

    func note(_ changes: ConnectionProperties, of application: MobileApplication) {
        entries.withLock { $0[ConnectionKey(application), default: Entry()].written.merge(changes) }
    }

    /// Forgets a connection, unless another one has taken its place.
    func remove(_ id: String, of application: MobileApplication) {
        let key = ConnectionKey(application)
        entries.withLock { entries in
            if entries[key]?.id == id { entries[key] = nil }
        }
    }

    func removeAll() { entries.withLock { $0 = [:] } }
}

extension HttpSession {
    /// Forgets the connections of this session; the servers keep them. For a session that gets another person.
    package func forgetConnections() { RegisteredConnections.of(self).removeAll() }
}
