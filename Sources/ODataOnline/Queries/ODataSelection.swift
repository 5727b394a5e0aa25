/// The rows, their order and their properties: the system query options (OData 4.01 URL Conventions §5.1).
public struct ODataSelection: Sendable {
    var filter: ODataExpression?
    var selected: [String] = []
    var expanded: [ODataExpand] = []
    var orders: [ODataOrder] = []
    var top: Int?
    var skip: Int?
    var isCounted = false
    var search: String?

    /// All rows with all their properties.
    public init() {}

    /// Keeps only rows for which the expression is true. Several filters must all be true.
    public func filter(_ expression: some ODataTerm) -> ODataSelection {
        changed { $0.filter = $0.filter.map { $0 && expression } ?? expression.expression }
    }
    /// Selects only some properties.
    public func select(_ properties: String...) -> ODataSelection { select(properties) }
    /// Selects only some properties.
    public func select(_ properties: [String]) -> ODataSelection { changed { $0.selected += properties } }
    /// Includes the entities of navigation properties.
    public func expand(_ properties: ODataExpand...) -> ODataSelection { changed { $0.expanded += properties } }
    /// Sets the order of the rows.
    public func order(_ orders: ODataOrder...) -> ODataSelection { changed { $0.orders += orders } }
    /// Reads at most that many rows.
    public func top(_ count: Int) -> ODataSelection { changed { $0.top = count } }
    /// Skips the first rows.
    public func skip(_ count: Int) -> ODataSelection { changed { $0.skip = count } }
    /// Asks for the number of all rows (``ODataPage/count``).
    public func counted() -> ODataSelection { changed { $0.isCounted = true } }
    /// Keeps only rows that match a text by the service's own search (4.0).
    public func search(_ text: String) -> ODataSelection { changed { $0.search = text } }

    private func changed(_ change: (inout ODataSelection) -> Void) -> ODataSelection {
        var copy = self
        change(&copy)
        return copy
    }
}
