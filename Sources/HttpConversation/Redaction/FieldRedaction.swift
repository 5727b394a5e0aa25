public import HTTPTypes

/// Which header fields may be shown in logs, transcripts and on a terminal (security rule S20).
///
/// A list of what is harmless rather than of what is secret: an unknown field's value is never shown.
public enum FieldRedaction {
    private static let shown: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges", "age", "allow",
        "cache-control",
        "connection", "content-encoding", "content-language", "content-length", "content-range", "content-type", "date",
        "etag", "expect", "expires", "host", "if-match", "if-modified-since", "if-none-match", "if-range",
        "if-unmodified-since", "keep-alive", "last-modified", "max-forwards", "range", "retry-after", "server", "te",
        "trailer", "transfer-encoding", "upgrade", "user-agent", "vary", "via", "strict-transport-security",
    ]

    /// The value of a field as it may be shown, on one line.
    public static func shownValue(of field: HTTPField) -> String {
        let name = field.name.canonicalName
        if shown.contains(name) { return TerminalText.sanitise(field.value) }
        return switch name {
        case "location", "content-location", "referer": redactedReference(field.value)
        case "www-authenticate", "proxy-authenticate": challenges(field.value)
        case "authorization", "proxy-authorization": scheme(field.value)
        case "set-cookie": cookieName(field.value)
        case "cookie": cookieNames(field.value)
        default: "<redacted>"
        }
    }

    private static func redactedReference(_ value: String) -> String {
        if let url = try? TargetURL(value) { return url.description }
        guard value.starts(withBytesOf: "/"), !value.starts(withBytesOf: "//") else { return "<redacted>" }
        let (target, fragment) = URLText.splitFragment(Substring(value))
        let path = target.prefix(upToASCII: "?")
        let query = Substring(target[path.endIndex...].utf8.dropFirst())
        let text = path + (query.isEmpty ? "" : "?" + URLRedaction.redact(query: query)) + (fragment == nil ? "" : "#…")
        return TerminalText.sanitise(String(text))
    }

    private static func challenges(_ value: String) -> String {
        let parsed = ChallengeParser.parse(value).challenges
        guard !parsed.isEmpty else { return "<unreadable>" }
        return parsed.map { challenge in
            let realm = challenge.realm.map { " realm=\"\(TerminalText.sanitise($0, limit: 60))\"" } ?? ""
            return TerminalText.sanitise(challenge.scheme, limit: 30) + realm
        }.joined(separator: ", ")
    }

    private static func scheme(_ value: String) -> String {
        "\(TerminalText.sanitise(String(value.prefix(upToASCII: " \t")), limit: 20)) <redacted>"
    }

    private static func cookieName(_ value: String) -> String {
        guard let name = value.prefix(upToASCII: ";").cut(atASCII: "=")?.before else { return "<redacted>" }
        return "\(TerminalText.sanitise(String(name), limit: 60))=<redacted>"
    }

    private static func cookieNames(_ value: String) -> String {
        value.split(ascii: ";").map { cookieName(String($0.trimmingSpaces)) }.joined(separator: "; ")
    }
}
