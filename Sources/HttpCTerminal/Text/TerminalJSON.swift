import Foundation
import HttpC
import HttpConvFormats

/// The command's JSON output: valid for programs, and without characters that act on a terminal (security rule S21).
///
/// Control and bidirectional characters occur in strings only, where their escapes have the same meaning.
package enum TerminalJSON {
    /// The same JSON, with escapes for characters that a terminal could act upon.
    static func harmless(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if TerminalText.isControl(scalar) {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
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
    package static func line(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return harmless((try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "")
    }

    /// An object with members of several kinds, on one line.
    package static func line(object: [String: Any]) -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        let data = try? JSONSerialization.data(withJSONObject: object, options: options)
        return harmless(data.map { String(decoding: $0, as: UTF8.self) } ?? "")
    }

    /// JSON that is laid out, with a line end.
    package static func lines(_ text: String) -> String {
        text.split(ascii: "\n").map { harmless(String($0)) + "\n" }.joined()
    }

    /// An object laid out for a person, with a line end.
    package static func lines(object: [String: Any]) -> String {
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: object, options: options) else { return "{}\n" }
        return lines(String(decoding: data, as: UTF8.self))
    }
}
