/// What tests change in, and ask of, the OData services of a landscape.
extension Landscape {
    /// Habits of the OData services; may be changed at any time.
    package var odataRule: ODataRule {
        get { world.odata.rule }
        set { world.odata.rule = newValue }
    }

    /// What the OData services have counted.
    package var odataCounters: ODataCounters { world.odata.counters.current }

    /// Makes all CSRF tokens of the OData services worthless; their sessions stay.
    public func expireODataTokens() { world.odata.tokens.expireTokens() }

    /// Gives the OData services the data that they had at the start.
    public func resetOData() { world.odata.reset() }
}
