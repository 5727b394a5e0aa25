/// Which rows, in which order, and what of them: the system query options (OData 4.01 URL Conventions §5.1).
public struct ODataSelection: Sendable {
    var filter: ODataExpression?
    var selected: [String] = []
    var expanded: [ODataExpand] = []
    var orders: [ODataOrder] = []
    var top: Int?
    var skip: Int?
    var isCounted = false
    var search: String?

    /// All rows with all that they have.
    public init() {}

    /// Only rows for which an expression is true; and also another one, where there is one already.
    public func filter(_ expression: some ODataTerm) -> ODataSelection {
        changed { $0.filter = $0.filter.map { $0 && expression } ?? expression.expression }
    }
    /// Only some properties.
    public func select(_ properties: String...) -> ODataSelection { select(properties) }
    /// Only some properties.
    public func select(_ properties: [String]) -> ODataSelection { changed { $0.selected += properties } }
    /// What navigation properties lead to comes along.
    public func expand(_ properties: ODataExpand...) -> ODataSelection { changed { $0.expanded += properties } }
    /// The order of the rows.
    public func order(_ orders: ODataOrder...) -> ODataSelection { changed { $0.orders += orders } }
    /// At most so many rows.
    public func top(_ count: Int) -> ODataSelection { changed { $0.top = count } }
    /// Without the first rows.
    public func skip(_ count: Int) -> ODataSelection { changed { $0.skip = count } }
    /// The service says how many rows there are (``ODataPage/count``).
    public func counted() -> ODataSelection { changed { $0.isCounted = true } }
    /// Only rows that have to do with a text, as the service sees it (4.0).
    public func search(_ text: String) -> ODataSelection { changed { $0.search = text } }

    private func changed(_ change: (inout ODataSelection) -> Void) -> ODataSelection {
        var copy = self
        change(&copy)
        return copy
    }
}
