import HttpC
import ODataOnline

/// Prints a written entity: a line of JSON, with its version for the next change.
enum ODataWrittenText {
    static func print(_ written: ODataWritten) throws(ConversationError) {
        var line = "{}"
        if let row = written.row {
            line = ODataText.json(row)
        } else if let tag = written.etag {
            line = "{\"@odata.etag\":\(TerminalJSON.quoted(tag))}"
        }
        try StandardOutput.write(Array((line + "\n").utf8))
    }
}
