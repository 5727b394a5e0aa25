import HttpC
import HttpCTerminal
import HttpConvPlatform
import ODataOnline

/// Prints rows as they arrive: a table for people, a JSON object per line for programs.
struct ODataRowPrinter {
    /// The number of rows that decide the columns' widths.
    private static let sample = 100
    private static let pieceSize = 16 << 10

    private let asTable: Bool
    private let version: ODataVersion
    private var names: [String] = []
    private var widths: [Int] = []
    private var waiting: [[String]] = []
    private var text = ""

    init(asTable: Bool, _ version: ODataVersion) {
        self.asTable = asTable
        self.version = version
    }

    /// Prints a value that is not a row, as JSON.
    mutating func print(_ value: ODataValue) throws(ConversationError) {
        try add(ODataText.json(value, version) + "\n")
    }

    mutating func print(_ row: ODataRow) throws(ConversationError) {
        guard asTable else { return try add(ODataText.json(row, version) + "\n") }
        if names.isEmpty {
            names = zip(row.names, row.values).filter { if case .deferred = $0.1 { false } else { true } }.map(\.0)
            waiting.append(names.map { TerminalText.sanitise($0, limit: 40) })
        }
        let cells = names.map { ODataText.cell($0, of: row) }
        guard widths.isEmpty else { return try add(TextTable.line(cells, widths)) }
        waiting.append(cells)
        if waiting.count > Self.sample { try flush() }
    }

    mutating func finish() throws(ConversationError) {
        if !waiting.isEmpty { try flush() }
        try write()
    }

    private mutating func flush() throws(ConversationError) {
        widths = TextTable.widths(waiting)
        for cells in waiting { try add(TextTable.line(cells, widths)) }
        waiting = []
    }

    /// Adds a line, and writes in larger pieces.
    private mutating func add(_ line: String) throws(ConversationError) {
        text += line
        if text.utf8.count >= Self.pieceSize { try write() }
    }

    private mutating func write() throws(ConversationError) {
        try StandardOutput.write(Array(text.utf8))
        text = ""
    }
}
