/// The sanitiser for peers' text that is shown to a person (security rule S21).
public enum TerminalText {
    /// Escapes C0, C1, ESC and bidirectional controls as `\u{…}`, on one line, and cuts after `limit` characters.
    public static func sanitise(_ text: String, limit: Int = 200) -> String {
        var result = ""
        var count = 0
        for scalar in text.unicodeScalars {
            if count == limit { return result + "…" }
            if isControl(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
            count += 1
        }
        return result
    }

    /// Whether a terminal may act on a character instead of showing it.
    public static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F: true  // C0, DEL, C1
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // bidirectional controls
        case 0x2028, 0x2029: true  // line and paragraph separators
        default: false
        }
    }
}
