/// Finds the rows of a page while it arrives. Rows are JSON objects, in all formats of pages.
package protocol RowScanner: AnyObject {
    /// Takes the next bytes of the page. Call it after ``nextRow(into:)`` has returned false.
    func append(_ chunk: [UInt8]) throws(FormatFailure)
    /// Reads the next row. Returns false if it needs more bytes.
    func nextRow(into document: JSONDocument) throws(FormatFailure) -> Bool
    /// Checks that the page is complete. Call it after the last bytes.
    func finish() throws(FormatFailure)
    /// The members beside the rows that were read so far.
    var page: PageEnvelope { get }
}
