#if os(Linux)
import HttpConversation

/// The servers that the browser of a login must not reach by itself, because a ``/HttpConversation/ConnectionPolicy`` has
/// settings for them that the browser cannot hold (security rule S28). The conversation sends what goes there.
///
/// The browser is told a network without these servers. So what cannot be held back, such as a WebSocket or the request of a
/// worker, ends without a connection.
struct KeptConnections: Sendable {
    private let policy: ConnectionPolicy

    init(_ policy: ConnectionPolicy) { self.policy = policy }

    /// Whether nothing is left to the browser.
    var isEverything: Bool { !policy.everywhere.isEmpty }

    /// Whether the conversation sends what goes to a server.
    func contains(_ origin: Origin) -> Bool { isEverything || !policy.settings(for: origin).isEmpty }

    /// The settings that hold for a server, or for the others where those are the reason.
    func settings(for origin: Origin) -> Set<ConnectionPolicy.Setting> {
        policy.everywhere.union(policy.origins[origin] ?? [])
    }

    /// Options of the browser's command line: names that lead nowhere.
    var arguments: [String] {
        if isEverything { return ["--host-resolver-rules=MAP * ~NOTFOUND"] }
        guard !places.isEmpty else { return [] }
        return ["--host-resolver-rules=" + places.map { "MAP \($0) ~NOTFOUND" }.joined(separator: ",")]
    }

    /// Rules for the list of what goes around a proxy: a proxy would find the names.
    var bypass: [String] { isEverything ? [] : places }

    /// Hosts with ports: a WebSocket has another scheme.
    private var places: [String] {
        let origins = policy.origins.keys.filter { !policy.settings(for: $0).isEmpty }
        return Set(origins.map(\.hostAndPort)).sorted()
    }
}
#endif
