import HttpC
import HttpConvFormats

/// Turns a program's terminal output into lines for a page.
struct DemoTranscript {
    private var pending: [UInt8] = []
    private let keepsColours: Bool

    init(keepsColours: Bool) { self.keepsColours = keepsColours }

    /// The text of the last line, which has no end yet.
    var lastLine: String { Self.shown(pending, keepsColours: false) }

    /// - Returns: the lines that are now complete
    mutating func add(_ bytes: [UInt8]) -> [String] {
        pending += bytes
        var lines: [String] = []
        while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(Self.shown(pending[..<end], keepsColours: keepsColours))
            pending.removeSubrange(...end)
        }
        return lines
    }

    /// The last line if it has no end.
    mutating func finish() -> [String] {
        defer { pending = [] }
        let last = Self.shown(pending, keepsColours: keepsColours)
        return last.isEmpty ? [] : [last]
    }

    /// The final look of a line: without overwritten text, and without control sequences except colours.
    private static func shown(_ bytes: some Collection<UInt8>, keepsColours: Bool) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        let parts = text.unicodeScalars.split(separator: "\r")
        let kept = parts.last.map { String($0) } ?? ""
        return kept.replacing(/\u{1B}\[([0-9;?]*)([A-Za-z])/) { match in
            keepsColours && match.2 == "m" ? String(match.0) : ""
        }
    }

    /// Removes colours.
    static func plain(_ line: String) -> String { line.replacing(/\u{1B}\[[0-9;]*m/, with: "") }
}
