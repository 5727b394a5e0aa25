import Synchronization

/// The proxies of a landscape: their rule and their records.
final class ProxyServer: Service {
    private struct State {
        var rule = LandscapeProxyRule()
        var records: [ProxyRecord] = []
        var forgotten = 0
    }

    let name = "proxy"
    let commands = [
        ContentsEntry(
            "/admin/proxy?authentication=none|basic|digest&password=",
            "POST: whether the proxies want the password of paula, through-the-wall; GET /admin/proxy/requests")
    ]
    static let realm = "landscape proxy"
    private static let visibleBytes = 1 << 20
    private let state = Mutex(State())

    var rule: LandscapeProxyRule {
        get { state.withLock { $0.rule } }
        set { state.withLock { $0.rule = newValue } }
    }

    var records: [ProxyRecord] { state.withLock { $0.records } }

    func add(
        _ kind: ProxyRecord.Kind, _ target: String, _ fields: [HeaderField], _ bytes: [UInt8], on connection: Connection
    ) -> Int {
        state.withLock { state in
            let id = state.forgotten + state.records.count
            var record = ProxyRecord(
                id: id, origin: connection.origin, connection: connection.id, kind: kind, target: target, fields: fields
            )
            record.bytes = Array(bytes.prefix(Self.visibleBytes))
            state.records.append(record)
            return id
        }
    }

    func update(_ id: Int, _ change: (inout ProxyRecord) -> Void) {
        state.withLock { state in
            let index = id - state.forgotten
            if state.records.indices.contains(index) { change(&state.records[index]) }
        }
    }

    /// Records further bytes of the client.
    func saw(_ bytes: some Collection<UInt8>, _ id: Int) {
        update(id) { $0.bytes += bytes.prefix(max(0, Self.visibleBytes - $0.bytes.count)) }
    }

    func reset() {
        state.withLock { state in
            state.forgotten += state.records.count
            state.records = []
            state.rule = LandscapeProxyRule()
        }
    }

    func listen(_ shared: SharedState) async throws -> [ByteListener] {
        var listeners: [ByteListener] = []
        for origin in [LandscapeOrigin.proxy, .secureProxy] {
            listeners.append(
                try await ByteListener.start(origin, shared: shared) { connection, inbound, outbound in
                    var client = ProxyClient(
                        connection: connection, reader: ByteReader(inbound.makeAsyncIterator()), writer: outbound,
                        shared: shared)
                    try await client.serve()
                })
        }
        return listeners
    }

    func read(_ command: String, _ exchange: ServerExchange) -> (any Encodable)? {
        guard command == "requests" else { return nil }
        return records
    }

    func perform(_ command: String, _ exchange: ServerExchange) throws -> (any Encodable)? {
        guard command.isEmpty else { throw AdminFailure.unknown }
        rule.authentication = try exchange.requiredChoice("authentication")
        if let password = exchange.parameter("password") { rule.user.password = password }
        return nil
    }
}
