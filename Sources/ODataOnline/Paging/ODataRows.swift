import ODataFormats

/// The rows of a query, read as they arrive and page after page.
///
/// Nothing is asked for before the first row is, and no page before the rows of the one before were taken. What is in
/// memory is a row. Leaving the loop ends the request. Each iteration asks anew.
public struct ODataRows<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = ODataError

    let client: ServiceClient
    let query: ODataQuery
    let decoding: RowDecoding<Element>

    public func makeAsyncIterator() -> Iterator { Iterator(rows: self) }

    /// Reads rows one after another.
    public struct Iterator: AsyncIteratorProtocol {
        public typealias Failure = ODataError

        private let rows: ODataRows
        private let decode: (JSONValue) throws(ODataError) -> Element
        private var pages: PageReader?
        private var isDone = false

        init(rows: ODataRows) {
            self.rows = rows
            decode = rows.decoding.make()
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ODataError) -> Element? {
            guard !isDone else { return nil }
            // What fails once does not go on.
            isDone = true
            if pages == nil { pages = PageReader(rows.client, try rows.client.target(rows.query), followsLinks: true) }
            guard let value = try await pages?.next() else {
                pages = nil
                return nil
            }
            let element = try decode(value)
            isDone = false
            return element
        }
    }
}
