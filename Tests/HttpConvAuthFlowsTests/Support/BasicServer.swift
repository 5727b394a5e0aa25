import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Synchronization

/// A server in the test process that asks for Basic below the paths of its realms, and counts failed logins.
///
/// It compares bytes, as servers with a password file do.
final class BasicServer: Sendable {
    /// A realm: its path and the accepted `user:password` bytes.
    struct Realm: Sendable {
        let name: String
        let path: String
        let octets: [UInt8]
        var parameters = ""
    }

    private let realms: [Realm]
    private let state = Mutex<(failed: [[UInt8]], challenges: Int)>(([], 0))

    init(_ realms: Realm...) { self.realms = realms }

    /// The refused passwords.
    var failedLogins: [[UInt8]] { state.withLock { $0.failed } }
    /// The number of challenges.
    var challengeCount: Int { state.withLock { $0.challenges } }

    func answer(_ request: TransportRequest) -> ScriptedTransport.Answer {
        guard let realm = realms.first(where: { request.target.path.hasPrefix($0.path) }) else {
            return .init(.ok, body: "open \(request.target.path)")
        }
        let sent = request.headerFields[.authorization].flatMap { value -> [UInt8]? in
            guard value.hasPrefix("Basic ") else { return nil }
            return Data(base64Encoded: String(value.dropFirst(6))).map { Array($0) }
        }
        if sent == realm.octets { return .init(.ok, body: "\(realm.name) \(request.target.path)") }
        state.withLock { state in
            state.challenges += 1
            // The password of the other realm does not count as a failed login of this one.
            if let sent, !realms.contains(where: { $0.octets == sent }) { state.failed.append(sent) }
        }
        return .init(
            .unauthorized, [.wwwAuthenticate: "Basic realm=\"\(realm.name)\"\(realm.parameters)"], body: "no")
    }

    /// A transport to this server, for any origin.
    func transport() -> ScriptedTransport { ScriptedTransport { request, _ in self.answer(request) } }
}
