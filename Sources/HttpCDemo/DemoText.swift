import HttpCTerminal

/// Text for a terminal's width and characters.
enum DemoText {
    /// Breaks text into lines of a maximum width in columns, at spaces if possible. Colours take no columns.
    ///
    /// - Parameter hanging: the indentation of lines after the first, in columns
    static func wrapped(_ text: String, to width: Int, hanging: Int) -> [String] {
        var lines: [String] = []
        var rest = Array(text)[...]
        var indent = ""
        while let cut = cut(rest, at: max(8, width - indent.count)) {
            lines.append(indent + String(rest[..<cut]))
            rest = rest[cut...].drop { $0 == " " }
            indent = String(repeating: " ", count: hanging)
        }
        return lines + [indent + String(rest)]
    }

    /// The index at which a line that is too long is broken; nil if it fits.
    private static func cut(_ line: ArraySlice<Character>, at width: Int) -> Int? {
        var (columns, space, isEscape, hasBegun) = (0, Int?.none, false, false)
        for index in line.indices {
            let character = line[index]
            if isEscape || character == "\u{1B}" {
                isEscape = character != "m"
                continue
            }
            let next = columns + ProgressLine.columns(of: String(character))
            if character == " ", hasBegun { space = index }
            if next > width { return space ?? max(index, line.startIndex + 1) }
            if character == "," { space = index + 1 }
            hasBegun = hasBegun || character != " "
            columns = next
        }
        return nil
    }

    /// Replaces other characters, for terminals that have ASCII alone.
    static func ascii(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            result += character.isASCII ? String(character) : replacements[character] ?? "?"
        }
    }

    private static let replacements: [Character: String] = [
        "✓": "ok", "✗": "FAILED", "→": "->", "←": "<-", "↪": "=>", "–": "-", "…": "...",
    ]

    /// Removes the queries of URLs: they are long, and contain codes that should not be shown.
    static func withoutQueries(_ text: String) -> String {
        text.replacing(/(https?:\/\/[^\s?"]+)\?[^\s"]+/) { "\($0.1)?…" }
    }
}
