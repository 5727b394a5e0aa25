/// A navigation property whose entities come along (`$expand`).
///
/// ```swift
/// ODataExpand("Items", ODataSelection().select("Price").expand("Product"))
/// ```
public struct ODataExpand: Sendable, ExpressibleByStringLiteral {
    /// The navigation property.
    public let name: String
    /// Which of the entities come along, and what of them. Of OData 2.0 only properties can be selected and expanded.
    public let selection: ODataSelection

    /// Everything that the property leads to, or a selection of it.
    public init(_ name: String, _ selection: ODataSelection = ODataSelection()) {
        self.name = name
        self.selection = selection
    }

    public init(stringLiteral value: String) { self.init(value) }
}
