import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation

/// A page's rules for its forms, of its content security policies: `sandbox` and `form-action` (CSP Level 3 §6.3.2 and
/// §6.4.1).
///
/// A server that shows what other people wrote sets them, so that no form of theirs is sent.
struct FormPolicy: Sendable {
    /// Whether a sandbox has no forms.
    private var isWithoutForms = false
    /// The sources of each `form-action`; a form has to match all lists.
    private var lists: [[String]] = []
    /// The number of words in these directives.
    private var wordCount = 0
    /// The maximum of ``wordCount``. A page with more has no forms, because each form is compared with all of them.
    private static let maximumWords = 1000

    /// - Parameters:
    ///   - fields: the values of `Content-Security-Policy`, each a list of policies
    ///   - page: the contents of the page's own elements, in which a sandbox has no effect
    init(fields: [String] = [], page: [String] = []) {
        for policy in fields.flatMap({ $0.split(ascii: ",") }) { add(policy, isField: true) }
        for policy in page { add(policy[...], isField: false) }
    }

    private mutating func add(_ policy: Substring, isField: Bool) {
        guard !isWithoutForms else { return }
        var names: Set<String> = []
        for directive in policy.split(ascii: ";") {
            let words = Self.words(directive)
            // Only the first directive of a name counts.
            guard let name = words.first?.asciiLowercased, names.insert(name).inserted else { continue }
            switch name {
            case "sandbox" where isField:
                if !words.contains(where: { $0.asciiLowercased == "allow-forms" }) { isWithoutForms = true }
            case "form-action":
                wordCount += words.count
                guard wordCount <= Self.maximumWords else {
                    (isWithoutForms, lists) = (true, [])
                    return
                }
                lists.append(Array(words.dropFirst()))
            default: continue
            }
        }
    }

    /// Whether a form of a page may be sent to a URL.
    func allows(_ target: TargetURL, from page: Origin) -> Bool {
        !isWithoutForms && lists.allSatisfy { $0.contains { Self.matches($0, target, page) } }
    }

    /// The words between ASCII white space.
    private static func words(_ text: Substring) -> [String] {
        text.utf8.split(whereSeparator: \.isASCIISpace).map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Sources (CSP Level 3 §6.7.2)

    private static func matches(_ source: String, _ target: TargetURL, _ page: Origin) -> Bool {
        let origin = target.origin
        switch source.asciiLowercased {
        case "*": return true
        case "'self'":
            return origin == page
                || origin.host == page.host && isUpgrade(page.scheme, to: origin.scheme) && hasDefaultPort(origin)
                    && hasDefaultPort(page)
        case "http:": return true
        case "https:": return origin.scheme == .https
        default: break
        }
        // Keywords, hashes and other schemes match no page.
        guard !source.starts(withBytesOf: "'") else { return false }
        var rest = source[...]
        var scheme = page.scheme
        if let end = source.utf8.firstRange(of: "://".utf8) {
            guard let named = Origin.Scheme(rawValue: source[..<end.lowerBound].asciiLowercased) else { return false }
            (scheme, rest) = (named, source[end.upperBound...])
        }
        guard isUpgrade(scheme, to: origin.scheme) else { return false }
        let place = rest.prefix(upToASCII: "/")
        let path = rest[place.endIndex...]
        guard let (host, port) = hostAndPort(place), matches(host: host, origin.host) else { return false }
        return matches(port: port, origin, scheme) && matches(path: path, target.path)
    }

    private static func isUpgrade(_ scheme: Origin.Scheme, to other: Origin.Scheme) -> Bool {
        scheme == other || scheme == .http
    }

    private static func hasDefaultPort(_ origin: Origin) -> Bool { origin.port == origin.scheme.defaultPort }

    /// The parts of a source's place; the brackets of an IPv6 address belong to the host.
    private static func hostAndPort(_ place: Substring) -> (host: String, port: Substring?)? {
        let colon = place.lastIndex(ofASCII: ":").flatMap { place[$0...].contains(ascii: "]") ? nil : $0 }
        let host = place[..<(colon ?? place.endIndex)].asciiLowercased
        return host.isEmpty ? nil : (host, colon.map { place[place.utf8.index(after: $0)...] })
    }

    private static func matches(host: String, _ other: String) -> Bool {
        if host == "*" { return true }
        if host.starts(withBytesOf: "*.") { return other.ends(withBytesOf: String(host.dropFirst())) }
        return host == other || host == "[\(other)]"
    }

    private static func matches(port: Substring?, _ origin: Origin, _ scheme: Origin.Scheme) -> Bool {
        guard let port else { return hasDefaultPort(origin) }
        return port == "*" || port == "\(origin.port)"
            || scheme == .http && port == "80" && origin.scheme == .https && hasDefaultPort(origin)
    }

    private static func matches(path: Substring, _ other: Substring) -> Bool {
        if path.isEmpty || path == "/" { return true }
        return path.ends(withBytesOf: "/") ? other.starts(withBytesOf: String(path)) : path == other
    }
}
