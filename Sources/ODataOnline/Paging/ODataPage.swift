/// One page of rows.
public struct ODataPage<Element: Sendable>: Sendable {
    /// The rows.
    public let rows: [Element]
    /// How many rows there are in all, where that was asked for (``ODataQuery/counted()``).
    public let count: Int64?
    /// Where the next page is; nil: this is the last one.
    public let nextLink: String?
}
