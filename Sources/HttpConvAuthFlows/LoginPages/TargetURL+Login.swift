import HttpConvFormats
import HttpConversation

extension TargetURL {
    /// The URL without query and fragment. Its path may begin with `//`, so it must not be resolved as a reference.
    var withoutQuery: TargetURL {
        (try? origin.url(requestTarget: String(path))) ?? (try? origin.targetURL()) ?? self
    }

    /// Whether the last segment of the path is named after a login, such as `login.php`, `sign_in` or `wp-login.php`.
    var isNamedAfterLogin: Bool {
        guard let name = path.split(ascii: "/").last else { return false }
        return [String(name), name.replacing(ascii: ["-": "", "_": ""])].contains {
            LoginPageShape.has(
                ["login*", "logon*", "signin*", "auth", "authenticat*", "session", "sessions"], in: $0)
        }
    }

    /// Whether the path is that of a directory's page, such as `index.php`, which may be all pages of a site.
    var isIndex: Bool {
        guard let name = path.split(ascii: "/").last?.asciiLowercased else { return false }
        return name == "index" || name.starts(withBytesOf: "index.") || name.starts(withBytesOf: "default.")
    }

    /// Whether it is the same resource; fragments do not count.
    func isSamePage(as other: TargetURL) -> Bool {
        requestTarget == other.requestTarget && origin == other.origin
    }

    /// Whether two URLs differ only in scheme, `www.`, a slash at the end, the language or the query.
    func differsInFormOnly(from other: TargetURL) -> Bool {
        Self.plainHost(origin.host) == Self.plainHost(other.origin.host) && plainPath == other.plainPath
    }

    private static func plainHost(_ host: String) -> Substring {
        host.starts(withBytesOf: "www.") ? host.dropFirst(4) : host[...]
    }

    /// The segments of the path without a language such as `de` or `pt-BR` at the start or the end.
    private var plainPath: [Substring] {
        var segments = path.split(ascii: "/")
        if let first = segments.first, Self.isLanguage(first) { segments.removeFirst() }
        if let last = segments.last, Self.isLanguage(last) { segments.removeLast() }
        return segments
    }

    private static func isLanguage(_ segment: Substring) -> Bool {
        let parts = segment.replacing(ascii: ["_": "-"])[...].split(ascii: "-", keepsEmpty: true)
        guard let language = parts.first, language.utf8.count == 2, parts.count <= 2 else { return false }
        return parts.allSatisfy { $0.utf8.count >= 2 && $0.utf8.count <= 4 }
            && segment.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || $0 == 0x2D || $0 == 0x5F }
    }
}
