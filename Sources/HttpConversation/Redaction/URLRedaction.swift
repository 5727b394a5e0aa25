/// How URLs are shown: host and path yes, query values and fragments no (security rule S20).
enum URLRedaction {
    /// Query parameters whose values carry no secret and help a reader.
    private static let shown: Set<String> = [
        "page", "limit", "offset", "sort", "lang", "format", "$top", "$skip", "$format",
    ]

    static func redact(_ url: TargetURL) -> String {
        var text = "\(url.origin)" + (url.requestTarget == "*" ? " *" : String(url.path))
        if let query = url.query { text += "?" + redact(query: query) }
        if url.fragment != nil { text += "#…" }
        return TerminalText.sanitise(text, limit: 400)
    }

    static func redact(query: Substring) -> String {
        query.split(ascii: "&", keepsEmpty: true).map { pair in
            guard let before = pair.cut(atASCII: "=")?.before else { return pair.isEmpty ? "" : "…" }
            let name = String(before)
            return shown.contains(name) ? String(pair) : "\(name)=…"
        }.joined(separator: "&")
    }
}
