import HttpConvFormats
import HttpConvPlatform

/// The character-level rules of RFC 3986 on which ``TargetURL`` is built.
enum URLText {
    /// The parts of a URL that differ in where they may have backslashes.
    enum Part {
        /// The whole URL, or a reference that begins with the path: backslashes only after the first `?` or `#`, as
        /// browsers send them.
        case url
        /// Authority or path: no backslashes, because browsers take them for slashes.
        case hierarchy
        /// Query or fragment: backslashes everywhere.
        case query
    }

    /// Refuses characters that are invalid in a URL: control characters, white space, backslashes before the query.
    static func requireVisible(_ text: String, in part: Part = .url) throws(ConversationError) {
        let bytes = text.utf8
        var mayHaveBackslashes = part == .query
        for index in bytes.indices {
            let byte = bytes[index]
            guard byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "\\") else { continue }
            if byte == UInt8(ascii: "\\") {
                if part == .url, !mayHaveBackslashes { mayHaveBackslashes = bytes[..<index].contains(where: endsPath) }
                if mayHaveBackslashes { continue }
            }
            let what = byte == 0x20 ? "a space" : byte == UInt8(ascii: "\\") ? "a backslash" : "a control character"
            let place = bytes.distance(from: bytes.startIndex, to: index) + 1
            throw ConversationError(
                .invalidURL, "The URL contains \(what) (byte \(place)): percent-encode it or leave it out.")
        }
    }

    /// Splits the text at the first colon; nil if there is no valid scheme before it.
    static func splitScheme(_ text: Substring) -> (scheme: Substring, rest: Substring)? {
        guard let (scheme, rest) = text.cut(atASCII: ":") else { return nil }
        guard scheme.utf8.first?.isASCIILetter == true, scheme.utf8.allSatisfy(\.isSchemeByte) else { return nil }
        return (scheme, rest)
    }

    static func scheme(_ text: Substring) throws(ConversationError) -> Origin.Scheme {
        if text == "https" { return .https }
        if text == "http" { return .http }
        let name = text.lowercased()
        guard let scheme = Origin.Scheme(rawValue: name) else {
            // The text before a colon may also be a user name or half a password.
            let shown = knownSchemes.contains(name) ? " \"\(name)\"" : " of the URL"
            throw ConversationError(
                .unsupportedScheme, "The scheme\(shown) is refused: only http and https are spoken.")
        }
        return scheme
    }

    /// The schemes that an error may name.
    private static let knownSchemes: Set<String> = [
        "about", "blob", "data", "file", "ftp", "ftps", "gopher", "imap", "javascript", "ldap", "ldaps", "mailto",
        "scp",
        "sftp", "smb", "ssh", "tel", "telnet", "urn", "ws", "wss",
    ]

    static func splitFragment(_ text: Substring) -> (target: Substring, fragment: Substring?) {
        text.cut(atASCII: "#") ?? (text, nil)
    }

    /// Percent-encodes invalid characters that are not reserved: space, quotes, brackets, non-ASCII; backslashes only
    /// where they are allowed.
    static func encode(_ text: Substring, in part: Part = .url) -> String {
        guard text.utf8.contains(where: needsEncoding) else { return String(text) }
        var result = [UInt8]()
        var mayHaveBackslashes = part == .query
        for byte in text.utf8 {
            if part == .url, endsPath(byte) { mayHaveBackslashes = true }
            if needsEncoding(byte), byte > 0x1F, byte != 0x7F, byte != UInt8(ascii: "\\") || mayHaveBackslashes {
                Hexadecimal.appendPercentEncoded(byte, to: &result)
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Like ``encode(_:in:)``, but leaves the authority of a reference as it is: a host is not percent-encoded.
    static func encodeReference(_ text: Substring) -> String {
        let rest = splitScheme(text)?.rest ?? text
        guard rest.starts(withBytesOf: "//") else { return encode(text) }
        let end = Substring(rest.utf8.dropFirst(2)).prefix(upToASCII: "/?#").endIndex
        return String(text[..<end]) + encode(text[end...])
    }

    private static func endsPath(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }

    private static func needsEncoding(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x3B, 0x3D, 0x3F...0x5B, 0x5D, 0x5F, 0x61...0x7A, 0x7E: false
        default: true
        }
    }

    /// Resolves path and query of a reference (RFC 3986 §5.2.2 and §5.2.3).
    static func merge(_ reference: Substring, onto base: String) -> String {
        if reference.isEmpty { return base }
        if reference.starts(withBytesOf: "/") { return String(reference) }
        let basePath = base.prefix(upToASCII: "?")
        if reference.starts(withBytesOf: "?") { return String(basePath) + reference }
        let directory = basePath.lastIndex(ofASCII: "/").map { basePath[...$0] } ?? "/"
        return String(directory) + reference
    }

    /// Removes dot segments (RFC 3986 §5.2.4) from the path of a request target.
    static func removingDotSegments(_ target: String) -> String {
        let path = target.prefix(upToASCII: "?")
        guard path.contains(bytesOf: "/.") else { return target }
        var output: [Substring] = []
        let segments = path.split(ascii: "/", keepsEmpty: true).dropFirst()
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { output.append("") }
            case "..":
                if !output.isEmpty { output.removeLast() }
                if isLast { output.append("") }
            default: output.append(segment)
            }
        }
        return "/" + output.joined(separator: "/") + target[path.endIndex...]
    }
}
