public import HTTPTypes
import HttpConvFormats

/// Redacts header fields for logs, transcripts, exports and terminals (security rule S20).
///
/// By a list of harmless fields instead of secret ones: of an unknown field only the length of its value is shown.
public enum FieldRedaction {
    /// The value of a field as it may be shown, on one line.
    public static func shownValue(of field: HTTPField) -> String {
        let value = field.value
        let name = field.name.canonicalName
        switch name {
        case "location", "content-location", "referer", "destination", "odata-entityid", "sourcemap":
            return URLRedaction.reference(value)
        case "www-authenticate", "proxy-authenticate": return challenges(value)
        case "authorization", "proxy-authorization": return scheme(value)
        case "set-cookie": return cookie(value)
        case "cookie": return cookieNames(value)
        case "x-csrf-token" where ["fetch", "required"].contains(value.asciiLowercased): return value
        default: break
        }
        if HarmlessFields.contains(name) { return TerminalText.sanitise(ValueRedaction.redact(value)) }
        let count = value.utf8.count
        return count == 0 ? "" : "<redacted, \(count) \(count == 1 ? "byte" : "bytes")>"
    }

    // MARK: Challenges and credentials

    private static let schemes: Set<String> = [
        "basic", "bearer", "concealed", "digest", "dpop", "gnap", "hoba", "mutual", "negotiate", "ntlm", "oauth",
        "privatetoken", "scram-sha-1", "scram-sha-256", "token", "vapid", "aws4-hmac-sha256",
    ]

    /// Scheme, realm, and the parameters that decide how a login continues, each as sent.
    private static func challenges(_ value: String) -> String {
        let parsed = ChallengeParser.parse(value).challenges
        guard !parsed.isEmpty else { return "<unreadable>" }
        return parsed.map { challenge in
            let realm = challenge.parameters.first { $0.name == "realm" }.map(realm)
            let others = challenge.parameters.compactMap(parameter)
            let shown = ([realm].compactMap { $0 } + others).joined(separator: ", ")
            return TerminalText.sanitise(challenge.scheme, limit: 30) + (shown.isEmpty ? "" : " \(shown)")
        }.joined(separator: ", ")
    }

    /// Shortens a realm; a quoted string keeps its closing quote.
    private static func realm(_ parameter: OfferedChallenge.Parameter) -> String {
        let shown = TerminalText.sanitise(parameter.written, limit: 70)
        let isCut = parameter.written.unicodeScalars.count > 70
        return shown + (isCut && parameter.written.utf8.last == UInt8(ascii: "\"") ? "\"" : "")
    }

    /// A parameter with a known harmless value: other values may repeat something that the client sent.
    private static func parameter(_ parameter: OfferedChallenge.Parameter) -> String? {
        guard let known = parameters[parameter.name], known.contains(parameter.value.asciiLowercased) else {
            return nil
        }
        return TerminalText.sanitise(parameter.written, limit: 70)
    }

    private static let parameters: [String: Set<String>] = [
        "algorithm": ["md5", "md5-sess", "sha-256", "sha-256-sess", "sha-512-256", "sha-512-256-sess"],
        "qop": ["auth", "auth-int", "auth,auth-int", "auth, auth-int", "auth-int,auth"],
        "charset": ["utf-8"], "stale": ["true", "false"], "userhash": ["true", "false"],
        "error": [
            "invalid_request", "invalid_token", "insufficient_scope", "insufficient_user_authentication",
            "insufficient_claims",
        ],
    ]

    /// The scheme if it is a known one; otherwise the value may be the secret itself.
    private static func scheme(_ value: String) -> String {
        let scheme = value.prefix(upToASCII: " \t")
        guard scheme.endIndex < value.endIndex, schemes.contains(String(scheme).asciiLowercased) else {
            return "<redacted>"
        }
        return "\(scheme) <redacted>"
    }

    // MARK: Cookies

    /// A cookie's name and attributes.
    private static func cookie(_ value: String) -> String {
        let parts = value.split(ascii: ";", keepsEmpty: true)
        let attributes = parts.dropFirst().compactMap { part -> String? in
            let text = part.trimmingSpaces
            let name = String(text.prefix(upToASCII: "=")).asciiLowercased
            guard cookieAttributes.contains(name) else { return nil }
            return "; " + TerminalText.sanitise(ValueRedaction.redact(String(text)), limit: 80)
        }
        return cookieName(String(parts.first ?? "")) + attributes.prefix(10).joined()
    }

    private static let cookieAttributes: Set<String> = [
        "domain", "expires", "httponly", "max-age", "partitioned", "path", "priority", "samesite", "secure",
    ]

    private static func cookieName(_ value: String) -> String {
        guard let name = value.prefix(upToASCII: ";").cut(atASCII: "=")?.before else { return "<redacted>" }
        return "\(TerminalText.sanitise(String(name), limit: 60))=<redacted>"
    }

    private static func cookieNames(_ value: String) -> String {
        value.split(ascii: ";").map { cookieName(String($0.trimmingSpaces)) }.joined(separator: "; ")
    }
}
