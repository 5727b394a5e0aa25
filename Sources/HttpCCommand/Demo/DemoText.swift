/// Text for the width of a terminal and the characters that it has.
enum DemoText {
    /// Lines of at most so many columns, broken at spaces where that is possible; colours take no room.
    ///
    /// - Parameter hanging: how far lines after the first are indented
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

    /// Where a line that is too long is broken; nil where it is not.
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

    /// For terminals that have no more than ASCII.
    static func ascii(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            result += character.isASCII ? String(character) : replacements[character] ?? "?"
        }
    }

    private static let replacements: [Character: String] = [
        "✓": "ok", "✗": "FAILED", "→": "->", "←": "<-", "↪": "=>", "–": "-", "…": "...",
    ]

    /// Queries of URLs say a lot that nobody reads, and codes that are nobody's business.
    static func withoutQueries(_ text: String) -> String {
        text.replacing(/(https?:\/\/[^\s?"]+)\?[^\s"]+/) { "\($0.1)?…" }
    }
}
