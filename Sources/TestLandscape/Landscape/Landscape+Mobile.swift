/// Controls and counters of a landscape's mobile server.
extension Landscape {
    private var mobile: MobileServer { shared.service() }

    /// The behaviour of the mobile server. It may be changed at any time.
    package var mobileRule: MobileRule {
        get { mobile.rule }
        set { mobile.rule = newValue }
    }

    /// The counters of the mobile server.
    public var mobileCounters: MobileCounters { mobile.counters.current }

    /// The uploaded traces, in order.
    package var mobileUploads: [MobileUpload] { mobile.received }

    /// The ids of all connections, oldest first.
    public var mobileConnections: [String] { mobile.connections.all.map(\.id) }

    /// A property of a connection as its device wrote it; nil if it is missing.
    package func mobileProperty(_ name: String, of connection: String) -> MobileValue? {
        mobile.connections.all.first { $0.id == connection }?.properties[name]
    }

    /// Deletes all connections, as an administrator does.
    public func deleteMobileConnections() { mobile.connections.removeAll() }

    /// Ends all sessions of the mobile server.
    public func expireMobileSessions() { mobile.sessions.endAll() }

    /// Holds all requests about connections until the gate is released.
    ///
    /// The admin API does it with `/admin/hold?path=mobile:connections`.
    public func holdMobileConnections() -> Gate { shared.gates.close(MobileServer.gate) }
}
