/// An order of rows.
public struct ODataOrder: Sendable {
    let expression: ODataExpression
    let isDescending: Bool

    /// Ascending order.
    public static func ascending(_ term: some ODataTerm) -> ODataOrder {
        ODataOrder(expression: term.expression, isDescending: false)
    }
    /// Ascending order by a property.
    public static func ascending(_ property: String) -> ODataOrder { .ascending(ODataProperty(property)) }
    /// Descending order.
    public static func descending(_ term: some ODataTerm) -> ODataOrder {
        ODataOrder(expression: term.expression, isDescending: true)
    }
    /// Descending order by a property.
    public static func descending(_ property: String) -> ODataOrder { .descending(ODataProperty(property)) }
}
