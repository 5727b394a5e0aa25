/// What is read of a service: where it is, and which of it.
///
/// ```swift
/// ODataQuery("Products").filter(ODataProperty("Price") > 10).select("ID", "Name").order(.descending("Price")).top(10)
/// ```
public struct ODataQuery: Sendable, ExpressibleByStringLiteral {
    /// Where it is.
    public var path: ODataPath
    /// Which of it.
    public var selection = ODataSelection()
    /// Query options that are no part of OData (OData 4.01 URL Conventions §5.2), such as `sap-client`.
    public var customOptions: [String: String] = [:]

    /// All that is at a path.
    public init(_ path: ODataPath) { self.path = path }
    public init(stringLiteral value: String) { path = ODataPath(value) }

    /// Only rows for which an expression is true; and also another one, where there is one already.
    public func filter(_ expression: some ODataTerm) -> ODataQuery { changed { $0 = $0.filter(expression) } }
    /// Only some properties.
    public func select(_ properties: String...) -> ODataQuery { changed { $0 = $0.select(properties) } }
    /// What navigation properties lead to comes along.
    public func expand(_ properties: ODataExpand...) -> ODataQuery { changed { $0.expanded += properties } }
    /// The order of the rows.
    public func order(_ orders: ODataOrder...) -> ODataQuery { changed { $0.orders += orders } }
    /// At most so many rows.
    public func top(_ count: Int) -> ODataQuery { changed { $0.top = count } }
    /// Without the first rows.
    public func skip(_ count: Int) -> ODataQuery { changed { $0.skip = count } }
    /// The service says how many rows there are (``ODataPage/count``).
    public func counted() -> ODataQuery { changed { $0.isCounted = true } }
    /// Only rows that have to do with a text, as the service sees it (4.0).
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
