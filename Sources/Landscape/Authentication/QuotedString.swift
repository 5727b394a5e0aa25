/// Quoted strings of HTTP fields (RFC 9110, 5.6.4).
enum QuotedString {
    static func make(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
        return "\"\(escaped)\""
    }
}
