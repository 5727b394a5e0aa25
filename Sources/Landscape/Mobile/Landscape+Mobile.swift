/// What tests change in, and ask of, the mobile server of a landscape.
extension Landscape {
    /// Habits of the mobile server; may be changed at any time.
    package var mobileRule: MobileRule {
        get { world.mobile.rule }
        set { world.mobile.rule = newValue }
    }

    /// What the mobile server has counted.
    package var mobileCounters: MobileCounters { world.mobile.counters.current }

    /// The traces that were uploaded, in order.
    package var mobileUploads: [MobileUpload] { world.mobile.received }

    /// The ids of all connections, oldest first.
    public var mobileConnections: [String] { world.mobile.connections.all.map(\.id) }

    /// A property of a connection as its device wrote it; nil where there is none.
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
