/// A navigation property whose entities come along in the answer (`$expand`).
public struct ODataExpand: Sendable, ExpressibleByStringLiteral {
    /// The navigation property.
    public let name: String
    /// The selection of these entities and their properties. OData 2.0 can only select and expand properties.
    public let selection: ODataSelection

    /// Expands all entities of a navigation property, or a selection of them.
    public init(_ name: String, _ selection: ODataSelection = ODataSelection()) {
        self.name = name
        self.selection = selection
    }

    public init(stringLiteral value: String) { self.init(value) }
}
