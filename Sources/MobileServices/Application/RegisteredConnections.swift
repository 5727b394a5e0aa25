package import HttpConversation
import Synchronization

/// The connections of a session. The session stands for the user, and the key for application and device.
final class RegisteredConnections: Sendable {
    private struct Key: Hashable {
        let root: TargetURL
        let application: String
        let device: String?

        init(_ application: MobileApplication) {
            root = application.root
            self.application = application.id
            device = application.deviceID
        }
    }

    private struct Entry {
        var id: String?
        /// The changes since the registration. A new connection gets them, too.
        var written = ConnectionProperties()
    }

    private let entries = Mutex<[Key: Entry]>([:])

    static func of(_ session: HttpSession) -> RegisteredConnections {
        session.flowState { RegisteredConnections() }
    }

    func id(of application: MobileApplication) -> String? {
        entries.withLock { $0[Key(application)]?.id }
    }

    func set(_ id: String, of application: MobileApplication) {
        entries.withLock { $0[Key(application), default: Entry()].id = id }
    }

    func written(of application: MobileApplication) -> ConnectionProperties {
        entries.withLock { $0[Key(application)]?.written ?? ConnectionProperties() }
    }

    func note(_ changes: ConnectionProperties, of application: MobileApplication) {
        entries.withLock { $0[Key(application), default: Entry()].written.merge(changes) }
    }

    /// Forgets a connection, unless another one has taken its place.
    func remove(_ id: String, of application: MobileApplication) {
        entries.withLock { entries in
            if entries[Key(application)]?.id == id { entries[Key(application)] = nil }
        }
    }

    func removeAll() { entries.withLock { $0 = [:] } }
}

extension HttpSession {
    /// Forgets the connections of this session; the servers keep them. For a session that gets another person.
    package func forgetConnections() { RegisteredConnections.of(self).removeAll() }
}
