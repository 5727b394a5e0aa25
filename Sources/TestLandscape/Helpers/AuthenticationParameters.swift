/// The parameters after the scheme in an `Authorization` field (RFC 9110, 11.4).
struct AuthenticationParameters: Sendable {
    private var values: [String: String] = [:]

    /// Reads `name=value` and `name="quoted value"` pairs; nil if the text is not a list of them.
    init?(_ text: Substring) {
        // By scalars, because a combining mark would hide the quote or comma before it.
        var rest = text.unicodeScalars
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
            if rest.isEmpty { return }
            guard let equals = rest.firstIndex(of: "=") else { return nil }
            let name = String(rest[..<equals].filter { $0 != " " && $0 != "\t" }).lowercased()
            rest = rest[rest.index(after: equals)...].drop { $0 == " " || $0 == "\t" }
            guard let value = rest.first == "\"" ? Self.quoted(&rest) : Self.token(&rest) else { return nil }
            // A parameter may occur only once.
            guard values.updateValue(value, forKey: name) == nil else { return nil }
        }
    }

    subscript(name: String) -> String? { values[name] }

    private static func token(_ rest: inout Substring.UnicodeScalarView) -> String? {
        let token = rest.prefix { $0 != "," && $0 != " " && $0 != "\t" }
        rest = rest[token.endIndex...]
        return String(token)
    }

    private static func quoted(_ rest: inout Substring.UnicodeScalarView) -> String? {
        var value = String.UnicodeScalarView()
        var isEscaped = false
        rest.removeFirst()
        while let character = rest.popFirst() {
            if isEscaped {
                value.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                return String(value)
            } else {
                value.append(character)
            }
        }
        return nil
    }
}

/// Quoted strings of HTTP fields (RFC 9110, 5.6.4).
enum QuotedString {
    static func make(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return "\"\(escaped)\""
    }
}
