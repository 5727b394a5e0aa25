import HttpC
import HttpConvPlatform

/// Rows of text in aligned columns.
package enum TextTable {
    /// Prints rows below their titles to standard output; prints nothing without rows.
    package static func print(_ titles: [String], _ rows: [[String]]) throws(CommandFailure) {
        guard !rows.isEmpty else { return }
        let width = isatty(1) == 0 ? Int.max : TerminalSize.current(of: 1).columns
        try StandardOutput.print(list(titles, rows, width))
    }

    /// Rows below their titles. If that is too wide, each row has a line for each of its columns.
    static func list(_ titles: [String], _ rows: [[String]], _ width: Int) -> String {
        let table = text([titles] + rows)
        guard table.split(separator: "\n").contains(where: { $0.count > width }) else { return table }
        let lists = rows.map { row in text(zip(titles, row).filter { !$1.isEmpty }.map { [$0, $1] }) }
        return lists.joined(separator: "\n")
    }

    package static func text(_ rows: [[String]]) -> String {
        let widths = Self.widths(rows)
        return rows.map { line($0, widths) }.joined()
    }

    /// The widths of the columns.
    package static func widths(_ rows: [[String]]) -> [Int] {
        let columns = rows.map(\.count).max() ?? 0
        return (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    }

    package static func line(_ cells: [String], _ widths: [Int]) -> String {
        let line = zip(cells, widths).map { pad($0, to: $1) }.joined(separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
    }

    package static func pad(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
