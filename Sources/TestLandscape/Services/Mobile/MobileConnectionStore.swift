import Foundation
import Synchronization

/// The connections of the mobile server.
final class MobileConnectionStore: Sendable {
    struct Connection: Sendable {
        let id: String
        let application: String
        let user: String
        let created: Date
        var properties: [String: MobileValue]
        var capabilities: [[String: MobileValue]]
        var changes = 0
    }

    private let connections = Mutex<[String: Connection]>([:])

    var all: [Connection] { connections.withLock { $0.values.sorted { $0.created < $1.created } } }

    /// Adds a connection. It gets the id in the request if that id is free or the user's own.
    func add(
        _ entity: MobileEntity, named wanted: String?, of user: String, in application: String, at date: Date
    ) -> Connection {
        connections.withLock { connections in
            var id = wanted ?? UUID().uuidString.lowercased()
            if let other = connections[id], other.user != user || other.application != application {
                id = UUID().uuidString.lowercased()
            }
            let connection = Connection(
                id: id, application: application, user: user, created: date, properties: entity.properties,
                capabilities: entity.capabilities)
            connections[id] = connection
            return connection
        }
    }

    /// The connection, if it belongs to the user and the application.
    func connection(_ id: String, of user: String, in application: String) -> Connection? {
        connections.withLock { connections in
            connections[id].flatMap { $0.user == user && $0.application == application ? $0 : nil }
        }
    }

    /// Changes a connection.
    ///
    /// - Parameter replaces: whether missing properties are removed
    func update(_ id: String, with entity: MobileEntity, replaces: Bool) {
        connections.withLock { connections in
            connections[id]?.changes += 1
            if replaces {
                connections[id]?.properties = [:]
                connections[id]?.capabilities = []
            }
            connections[id]?.properties.merge(entity.properties) { $1 }
            connections[id]?.capabilities.removeAll { old in
                entity.capabilities.contains { new in
                    ["Category", "CapabilityName"].allSatisfy { new[$0] == old[$0] }
                }
            }
            connections[id]?.capabilities += entity.capabilities
        }
    }

    func remove(_ id: String) { connections.withLock { $0[id] = nil } }

    func removeAll() { connections.withLock { $0 = [:] } }
}
