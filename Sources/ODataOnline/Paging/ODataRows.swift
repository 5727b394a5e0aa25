import HttpConvFormats

/// The rows of a query, read as they arrive and page after page.
///
/// The first request is sent when the first row is asked for, and the next page is requested after the last row of the
/// present one. Memory holds one row. Leaving the loop ends the request. Each iteration sends new requests.
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
        private let decode: (JSONElement) throws(ODataError) -> Element
        private var pages: PageReader?
        private var isDone = false

        init(rows: ODataRows) {
            self.rows = rows
            decode = rows.decoding.make()
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ODataError) -> Element? {
            guard !isDone else { return nil }
            // An iterator that has failed stays at its end.
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
