import HttpC
import HttpConvFormats
import HttpConvPlatform

/// The command's JSON output: valid for programs, and without characters that act on a terminal (security rule S21).
///
/// Control and bidirectional characters occur in strings only, where their escapes have the same meaning.
package enum TerminalJSON {
    /// The same JSON, with escapes for characters that a terminal could act upon.
    static func harmless(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if TerminalText.isControl(scalar) {
                result += "\\u" + String(scalar.value, radix: 16).zeroPadded(to: 4)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// A text as a JSON string.
    package static func quoted(_ text: String) -> String {
        "\"" + harmless(text.replacing(ascii: ["\"": "\\\"", "\\": "\\\\"])) + "\""
    }

    /// A value on one line, its names in order; empty for values that JSON does not have.
    package static func line(_ value: some Encodable) -> String { harmless(text(value, [])) }

    /// JSON that is laid out, with a line end.
    package static func lines(_ text: String) -> String {
        text.split(ascii: "\n").map { harmless(String($0)) + "\n" }.joined()
    }

    /// A value laid out for a person, with a line end.
    package static func laidOut(_ value: some Encodable) -> String { lines(text(value, .prettyPrinted)) }

    private static func text(_ value: some Encodable, _ layout: JSONEncoder.OutputFormatting) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = layout.union([.sortedKeys, .withoutEscapingSlashes])
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
