/// Controls and counters of a landscape's mobile server.
extension Landscape {
    /// The behaviour of the mobile server. It may be changed at any time.
    package var mobileRule: MobileRule {
        get { world.mobile.rule }
        set { world.mobile.rule = newValue }
    }

    /// The counters of the mobile server.
    package var mobileCounters: MobileCounters { world.mobile.counters.current }

    /// The uploaded traces, in order.
    package var mobileUploads: [MobileUpload] { world.mobile.received }

    /// The ids of all connections, oldest first.
    public var mobileConnections: [String] { world.mobile.connections.all.map(\.id) }

    /// A property of a connection as its device wrote it; nil if it is missing.
    package func mobileProperty(_ name: String, of connection: String) -> MobileValue? {
        world.mobile.connections.all.first { $0.id == connection }?.properties[name]
    }

    /// Deletes all connections, as an administrator does.
    public func deleteMobileConnections() { world.mobile.connections.removeAll() }

    /// Ends all sessions of the mobile server.
    public func expireMobileSessions() { world.mobile.sessions.endAll() }

    /// Holds all requests about connections until the gate is released.
    ///
    /// The admin API does it with `/admin/hold?path=mobile:connections`.
    public func holdMobileConnections() -> Gate { world.gates.close(MobileServer.gate) }
}
