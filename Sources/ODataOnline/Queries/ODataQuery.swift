/// A query: a path of the service, and a selection of its rows.
///
/// ```swift
/// ODataQuery("Products").filter(ODataProperty("Price") > 10).select("ID", "Name").order(.descending("Price")).top(10)
/// ```
public struct ODataQuery: Sendable, ExpressibleByStringLiteral {
    /// The path of the rows.
    public var path: ODataPath
    /// The selection of rows and properties.
    public var selection = ODataSelection()
    /// Query options outside of OData (OData 4.01 URL Conventions §5.2), such as `sap-client`.
    public var customOptions: [String: String] = [:]

    /// A query for everything at a path.
    public init(_ path: ODataPath) { self.path = path }
    public init(stringLiteral value: String) { path = ODataPath(value) }

    /// Keeps only rows for which the expression is true. Several filters must all be true.
    public func filter(_ expression: some ODataTerm) -> ODataQuery { changed { $0 = $0.filter(expression) } }
    /// Selects only some properties.
    public func select(_ properties: String...) -> ODataQuery { changed { $0 = $0.select(properties) } }
    /// Includes the entities of navigation properties.
    public func expand(_ properties: ODataExpand...) -> ODataQuery { changed { $0.expanded += properties } }
    /// Sets the order of the rows.
    public func order(_ orders: ODataOrder...) -> ODataQuery { changed { $0.orders += orders } }
    /// Reads at most that many rows.
    public func top(_ count: Int) -> ODataQuery { changed { $0.top = count } }
    /// Skips the first rows.
    public func skip(_ count: Int) -> ODataQuery { changed { $0.skip = count } }
    /// Asks for the number of all rows (``ODataPage/count``).
    public func counted() -> ODataQuery { changed { $0.isCounted = true } }
    /// Keeps only rows that match a text by the service's own search (4.0).
    public func search(_ text: String) -> ODataQuery { changed { $0.search = text } }

    private func changed(_ change: (inout ODataSelection) -> Void) -> ODataQuery {
        var copy = self
        change(&copy.selection)
        return copy
    }

    /// The query of the address, percent-encoded.
    func query(_ version: ODataVersion) throws(ODataError) -> String {
        var parts = [try SelectionWriter(version: version).query(selection)].filter { !$0.isEmpty }
        for (name, value) in customOptions.sorted(by: { $0.key < $1.key }) {
            guard !name.isEmpty, !name.hasPrefix("$"), !name.hasPrefix("@") else {
                throw ODataError(.invalidRequest, "The names of custom query options do not start with $ or @.")
            }
            parts.append("\(PercentEncoding.encoded(name))=\(PercentEncoding.encoded(value))")
        }
        return parts.joined(separator: "&")
    }
}
