/// The one sanitiser for text that came from a peer and is shown to a person (security rule S21).
public enum TerminalText {
    /// C0, C1, ESC and bidirectional controls escaped as `\u{…}`, on one line, cut after `limit` characters.
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

    /// Whether a terminal may do something else with it than show it.
    package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F: true  // C0, DEL, C1
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true  // bidirectional controls
        case 0x2028, 0x2029: true  // line and paragraph separators
        default: false
        }
    }
}
