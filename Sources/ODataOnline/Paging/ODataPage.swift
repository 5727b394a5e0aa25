/// One page of rows.
public struct ODataPage<Element: Sendable>: Sendable {
    /// The rows.
    public let rows: [Element]
    /// The number of rows of the whole query, if it was asked for (``ODataQuery/counted()``).
    public let count: Int64?
    /// The whole address of the next page; nil for the last page.
    public let nextLink: String?
}
