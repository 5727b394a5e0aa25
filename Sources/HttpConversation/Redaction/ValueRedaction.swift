import HttpConvFormats

/// Removes possible secrets from values of harmless fields: parts of URLs, nonces, tokens, and parameters with secret
/// names (security rule S20). One pass over the bytes (security rule S24).
enum ValueRedaction {
    private static let longest = 800
    private static let quote = UInt8(ascii: "\"")
    private static let delimiters = Set(" \t,;\"<>()[]{}".utf8)

    /// A value without its secrets.
    static func redact(_ value: String) -> String {
        var result = ""
        var rest = cut(value)
        while !rest.isEmpty {
            let end = endOfPiece(rest)
            let text = rest[..<end]
            result += piece(text)
            guard end < rest.endIndex else { break }
            let next = rest.utf8.index(after: end)
            result += rest[end..<next]
            rest = rest[next...]
            guard text.utf8.last == UInt8(ascii: "="), value.utf8[end] == quote, SecretNames.contains(text.dropLast())
            else { continue }
            // The quoted string is the parameter's value.
            result += "…"
            rest = rest[endOfQuotes(rest)...]
        }
        return result
    }

    /// The end of a piece, at a delimiter. A URL continues after a `;` with the parameters of its path.
    private static func endOfPiece(_ text: Substring) -> Substring.Index {
        let bytes = text.utf8
        let end = bytes.firstIndex { delimiters.contains($0) } ?? text.endIndex
        guard end < text.endIndex, bytes[end] == UInt8(ascii: ";"), isPlace(text[..<end]) else { return end }
        let rest = bytes[bytes.index(after: end)...]
        guard let next = rest.first, !delimiters.contains(next) else { return end }
        return rest.firstIndex { $0 != UInt8(ascii: ";") && delimiters.contains($0) } ?? text.endIndex
    }

    private static func cut(_ value: String) -> Substring {
        let scalars = value.unicodeScalars
        return Substring(scalars.prefix(longest))
    }

    /// The end of a quoted string, after its opening quote.
    private static func endOfQuotes(_ text: Substring) -> Substring.Index {
        var isEscaped = false
        for index in text.utf8.indices {
            if isEscaped {
                isEscaped = false
            } else if text.utf8[index] == UInt8(ascii: "\\") {
                isEscaped = true
            } else if text.utf8[index] == quote {
                return index
            }
        }
        return text.endIndex
    }

    /// Redacts the text between two delimiters.
    private static func piece(_ text: Substring) -> String {
        // As in 'nonce-…' of a Content-Security-Policy.
        if text.starts(withASCIILetters: "'nonce-") { return "'nonce-…'" }
        if isToken(text) { return "…" }
        let parameter = text.cut(atASCII: "=").flatMap { cut in
            cut.before.utf8.contains { "/?:#@".utf8.contains($0) } ? nil : cut
        }
        guard let (name, value) = parameter else { return place(text) }
        if SecretNames.contains(name) { return "\(name)=" + (value.isEmpty ? "" : "…") }
        return "\(name)=" + (isToken(value) ? "…" : place(value))
    }

    /// A URL without its secrets; other text unchanged.
    private static func place(_ text: Substring) -> String {
        isPlace(text) && !isHostPattern(text) ? URLRedaction.reference(String(text)) : String(text)
    }

    /// Whether the text may be a URL, also a relative one with a query or fragment, or a parameter with a URL as its
    /// value.
    private static func isPlace(_ text: Substring) -> Bool {
        text.contains(bytesOf: "://") || text.starts(withBytesOf: "/") || text.contains(bytesOf: "=/")
            || text.contains(ascii: "?") || text.contains(ascii: "#") || text.contains(bytesOf: "%3F")
            || text.contains(bytesOf: "%3f") || hasUserinfo(text)
    }

    /// Whether there is a colon before an `@`, as in `user:password@host`.
    private static func hasUserinfo(_ text: Substring) -> Bool {
        text.cut(atASCII: "@")?.before.contains(ascii: ":") == true
    }

    /// Whether it is a host pattern of a policy: `https://*.example.com`.
    private static func isHostPattern(_ text: Substring) -> Bool {
        guard let scheme = ["https://", "http://", "wss://", "ws://"].first(where: { text.starts(withBytesOf: $0) })
        else { return false }
        return text.utf8.dropFirst(scheme.utf8.count).allSatisfy { byte in
            byte.isAlphanumeric || ".*:-".utf8.contains(byte)
        }
    }

    /// Whether it looks like a JSON Web Token (RFC 7519 §3).
    static func isToken(_ text: some StringProtocol) -> Bool {
        text.utf8.starts(with: "eyJ".utf8) && text.utf8.contains(UInt8(ascii: "."))
    }
}
