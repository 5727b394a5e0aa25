#if os(Linux)
import HttpConversation

/// The servers that the browser of a login must not reach by itself, because a ``/HttpConversation/ConnectionPolicy``
/// has settings for them that the browser cannot apply (security rule S28). The conversation sends the requests to
/// them.
///
/// The browser gets a network without these servers. So a request that cannot be held, such as a WebSocket's or a
/// service worker's, fails without a connection.
struct KeptConnections: Sendable {
    private let policy: ConnectionPolicy

    init(_ policy: ConnectionPolicy) { self.policy = policy }

    /// Whether the conversation sends all requests.
    var isEverything: Bool { !policy.everywhere.isEmpty }

    /// Whether the conversation sends the requests to a server.
    func contains(_ origin: Origin) -> Bool { policy.restricts(origin) }

    /// The settings for a server: those of all servers and its own.
    func settings(for origin: Origin) -> Set<ConnectionPolicy.Setting> {
        policy.everywhere.union(policy.origins[origin] ?? [])
    }

    /// The options of the command line that make these names unresolvable.
    var arguments: [String] {
        if isEverything { return ["--host-resolver-rules=MAP * ~NOTFOUND"] }
        guard !places.isEmpty else { return [] }
        return ["--host-resolver-rules=" + places.map { "MAP \($0) ~NOTFOUND" }.joined(separator: ",")]
    }

    /// Rules that let these servers bypass proxies, since a proxy would resolve the names.
    var bypass: [String] { isEverything ? [] : places }

    /// The servers' hosts with ports, without schemes: a WebSocket has another scheme.
    private var places: [String] {
        let origins = policy.origins.keys.filter { !policy.settings(for: $0).isEmpty }
        return Set(origins.map(\.hostAndPort)).sorted()
    }
}
#endif
