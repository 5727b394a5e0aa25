/// Controls and counters of a landscape's OData services.
extension Landscape {
    /// The behaviour of the OData services. It may be changed at any time.
    package var odataRule: ODataRule {
        get { world.odata.rule }
        set { world.odata.rule = newValue }
    }

    /// The counters of the OData services.
    package var odataCounters: ODataCounters { world.odata.counters.current }

    /// Makes all CSRF tokens of the OData services invalid. Their sessions stay.
    public func expireODataTokens() { world.odata.tokens.expireTokens() }

    /// Restores the initial data of the OData services.
    public func resetOData() { world.odata.reset() }
}
