/// By what rows are ordered.
public struct ODataOrder: Sendable {
    let expression: ODataExpression
    let isDescending: Bool

    /// The least first.
    public static func ascending(_ term: some ODataTerm) -> ODataOrder {
        ODataOrder(expression: term.expression, isDescending: false)
    }
    /// By a property, the least first.
    public static func ascending(_ property: String) -> ODataOrder { .ascending(ODataProperty(property)) }
    /// The greatest first.
    public static func descending(_ term: some ODataTerm) -> ODataOrder {
        ODataOrder(expression: term.expression, isDescending: true)
    }
    /// By a property, the greatest first.
    public static func descending(_ property: String) -> ODataOrder { .descending(ODataProperty(property)) }
}
