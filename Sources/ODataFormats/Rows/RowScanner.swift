/// Finds the rows of a page while it arrives. Rows are JSON objects, whatever the page is written in.
package protocol RowScanner: AnyObject {
    /// Takes the next bytes of the page, when there is no row in those before.
    func append(_ chunk: [UInt8]) throws(FormatProblem)
    /// The next row; false where more bytes are needed.
    func nextRow(into document: JSONDocument) throws(FormatProblem) -> Bool
    /// Checks that the page is complete, when all its bytes were given.
    func finish() throws(FormatProblem)
    /// What the page says beside its rows, as far as it was read.
    var page: PageNotes { get }
}
