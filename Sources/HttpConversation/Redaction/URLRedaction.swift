import HttpConvFormats

/// Redacts URLs: shows host and path, and hides values of query and path parameters, parts of another URL in the path,
/// and fragments (security rule S20).
enum URLRedaction {
    /// Query parameters that help a reader, with the form that their values must have to be shown.
    private static let shown: [String: HarmlessValue] = [
        "page": .number, "limit": .number, "offset": .number, "$top": .number, "$skip": .number,
        "sap-client": .number, "lang": .word, "format": .word, "$count": .word, "$inlinecount": .word,
        "sap-language": .word, "$format": .mediaType, "sort": .names, "$select": .names, "$expand": .names,
        "$orderby": .names,
    ]
    private static let longestName = 60
    private static let longestValue = 100

    static func redact(_ url: TargetURL) -> String {
        var text = "\(url.origin)" + (url.requestTarget == "*" ? " *" : path(url.path))
        if let query = url.query { text += "?" + redact(query: query) }
        if url.fragment != nil { text += "#…" }
        return TerminalText.sanitise(text, limit: 400)
    }

    /// Redacts a URL, or a reference on the same server; anything else is hidden completely.
    static func reference(_ value: String) -> String {
        if let url = try? TargetURL(value) { return url.description }
        guard value.starts(withBytesOf: "/"), !value.starts(withBytesOf: "//") else { return "<redacted>" }
        let (target, fragment) = URLText.splitFragment(Substring(value))
        let before = target.prefix(upToASCII: "?")
        let query = Substring(target[before.endIndex...].utf8.dropFirst())
        let text = path(before) + (query.isEmpty ? "" : "?" + redact(query: query)) + (fragment == nil ? "" : "#…")
        return TerminalText.sanitise(text)
    }

    static func redact(query: Substring) -> String {
        query.split(ascii: "&", keepsEmpty: true).map { pair in
            guard let (name, value) = pair.cut(atASCII: "=") else { return pair.isEmpty ? "" : "…" }
            if isShown(name, value) { return String(pair) }
            return name.utf8.count > longestName || ValueRedaction.isToken(name) ? "…=…" : "\(name)=…"
        }.joined(separator: "&")
    }

    private static func isShown(_ name: Substring, _ value: Substring) -> Bool {
        guard let kind = shown[String(name)], value.utf8.count <= longestValue, !ValueRedaction.isToken(value) else {
            return false
        }
        return kind.matches(value)
    }

    // MARK: Paths

    /// A path without the values of path parameters (`;jsessionid=…`) and escaped queries.
    private static func path(_ path: Substring) -> String {
        guard
            path.utf8.contains(where: { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "=") })
                || path.contains(bytesOf: "eyJ")
        else { return String(path) }
        return path.split(ascii: "/", keepsEmpty: true).map(segment).joined(separator: "/")
    }

    private static func segment(_ segment: Substring) -> String {
        let parts = segment.split(ascii: ";", keepsEmpty: true)
        let parameters = parts.dropFirst().map { part in
            ";" + (part.cut(atASCII: "=").map { "\($0.before)=…" } ?? "…")
        }
        return name(parts.first ?? "") + parameters.joined()
    }

    private static func name(_ text: Substring) -> String {
        if ValueRedaction.isToken(text) { return "…" }
        if let (name, _) = text.cut(atASCII: "="), SecretNames.contains(name) { return "\(name)=…" }
        guard let end = startOfEscapedQuery(text) else { return String(text) }
        return text[..<end] + "…"
    }

    /// The position of the first `%3F`, `%3B`, `%26` or `%23`: the rest belongs to another URL.
    private static func startOfEscapedQuery(_ text: Substring) -> Substring.Index? {
        var rest = text
        while let index = rest.firstIndex(ofASCII: "%") {
            let code = text[index...].utf8.prefix(3)
            if ["%3f", "%3b", "%26", "%23"].contains(String(decoding: code, as: UTF8.self).asciiLowercased) {
                return index
            }
            rest = rest[rest.utf8.index(after: index)...]
        }
        return nil
    }
}

extension TargetURL {
    /// The origin as it may be shown.
    package var shownOrigin: String { parts.shown?.origin ?? "\(origin)" }

    /// Whether its origin has a secret, and is shown without it.
    var hidesOrigin: Bool { parts.shown.map { $0.origin != "\(origin)" } ?? false }

    /// The same URL, with a description that shows no secret that was sent. The server that named the URL may have put
    /// secrets into it.
    package func hiding(_ sent: SentFields) -> TargetURL {
        // Nearly no URL has a secret, and its description takes long to make.
        let whole = absoluteString
        guard sent.hidden(in: whole) != whole else { return self }
        let texts = [description, shownOrigin]
        let shown = sent.hidden(in: texts)
        return shown == texts ? self : showing(ShownURL(url: shown[0], origin: shown[1]))
    }
}

extension TargetURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL as it may be shown: query values and fragment redacted (security rule S20).
    public var description: String { parts.shown?.url ?? URLRedaction.redact(self) }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}
