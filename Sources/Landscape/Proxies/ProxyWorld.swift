import Synchronization

/// The shared state of a landscape's proxies: the rule and the records.
final class ProxyWorld: Sendable {
    private struct State {
        var rule = LandscapeProxyRule()
        var records: [ProxyRecord] = []
        var forgotten = 0
    }

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
}

extension Landscape {
    /// The behaviour of the proxies at ``LandscapeOrigin/proxy`` and ``LandscapeOrigin/secureProxy``. It may be changed
    /// at any time.
    public var proxyRule: LandscapeProxyRule {
        get { world.proxies.rule }
        set { world.proxies.rule = newValue }
    }

    /// The recorded requests to the proxies, oldest first.
    public var proxyRecords: [ProxyRecord] { world.proxies.records }
}
