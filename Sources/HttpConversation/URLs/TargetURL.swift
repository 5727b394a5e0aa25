public import HTTPTypes
import HttpConvFormats
public import HttpConvPlatform

/// A checked http or https URL: the target URI of an exchange (RFC 9110 §7.1).
///
/// Parsed once: connecting, comparing and sending all use this value (security rule S1).
public struct TargetURL: Hashable, Sendable {
    /// An object, because a URL is passed around a lot, and copying its texts costs more than the work with it.
    @usableFromInline final class Parts: Sendable {
        @usableFromInline let origin: Origin
        @usableFromInline let requestTarget: String
        @usableFromInline let fragment: String?
        @usableFromInline let userinfo: String?
        /// The end of the path in `requestTarget`.
        let endOfPath: String.Index
        /// The texts to show instead of the URL's own; nil: those.
        let shown: ShownURL?

        init(
            _ origin: Origin, _ requestTarget: String, _ fragment: String?, _ userinfo: String?, _ shown: ShownURL?
        ) {
            self.shown = shown
            self.origin = origin
            self.requestTarget = requestTarget
            self.fragment = fragment
            self.userinfo = userinfo
            // Searches bytes: searching characters would cost more than all other work on the path.
            endOfPath = requestTarget.utf8.firstIndex(of: UInt8(ascii: "?")) ?? requestTarget.endIndex
        }
    }

    @usableFromInline let parts: Parts

    /// The origin of the URL.
    @inlinable public var origin: Origin { parts.origin }
    /// Path and query in origin form, such as `/a/b?c=d`; or `*` for a server-wide OPTIONS.
    @inlinable public var requestTarget: String { parts.requestTarget }
    /// The fragment, which is never sent; redirects without one inherit it (RFC 9110 §10.2.2).
    @inlinable public var fragment: String? { parts.fragment }
    /// The `user:password` of the URL as written. Conversations refuse it; a command line may turn it into a
    /// credential.
    @inlinable public var userinfo: String? { parts.userinfo }

    init(
        origin: Origin, requestTarget: String, fragment: String? = nil, userinfo: String? = nil, shown: ShownURL? = nil
    ) {
        parts = Parts(origin, requestTarget, fragment, userinfo, shown)
    }

    /// The URL `/` of the same origin.
    public var root: TargetURL { TargetURL(origin: origin, requestTarget: "/") }

    /// Parses an absolute URL (RFC 3986, with non-ASCII characters percent-encoded as UTF-8, and backslashes in query
    /// and fragment).
    ///
    /// The error does not repeat the text: in an unreadable URL, any part may be a secret.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``, or ``ConversationError/Code/unsupportedScheme`` for schemes
    ///   other than http and https
    public init(_ text: String) throws(ConversationError) {
        try URLText.requireVisible(text)
        guard let (schemeText, rest) = URLText.splitScheme(Substring(text)) else {
            throw ConversationError(.invalidURL, "That is not an absolute URL: it has no scheme such as https.")
        }
        let scheme = try URLText.scheme(schemeText)
        guard rest.starts(withBytesOf: "//") else {
            throw ConversationError(.invalidURL, "The URL lacks the // after the scheme.")
        }
        try self.init(scheme: scheme, hierarchy: Substring(rest.utf8.dropFirst(2)))
    }

    /// Creates a target from a Foundation URL, and checks it.
    public init(_ url: URL) throws(ConversationError) {
        try self.init(url.absoluteString)
    }

    /// Creates a target from a request's pseudo header fields: scheme, authority and path.
    public init(_ request: HTTPRequest) throws(ConversationError) {
        guard let schemeText = request.scheme, let authority = request.authority, !authority.isEmpty else {
            throw ConversationError(
                .invalidURL, "The request has no scheme or no authority: there is no server to send it to.")
        }
        let path = request.path ?? "/"
        let isAsterisk = path == "*" && request.method == .options
        guard path.starts(withBytesOf: "/") || path.isEmpty || isAsterisk else {
            throw ConversationError(.invalidURL, "The path of the request does not start with a slash.")
        }
        try URLText.requireVisible(authority, in: .hierarchy)
        try URLText.requireVisible(path)
        let scheme = try URLText.scheme(Substring(schemeText))
        if isAsterisk {
            self.init(origin: try Origin(scheme: scheme, authority: Substring(authority)), requestTarget: "*")
        } else {
            try self.init(scheme: scheme, authority: Substring(authority), reference: Substring(path))
        }
    }

    private init(scheme: Origin.Scheme, hierarchy: Substring) throws(ConversationError) {
        let authority = hierarchy.prefix(upToASCII: "/?#")
        try self.init(scheme: scheme, authority: authority, reference: hierarchy[authority.endIndex...])
    }

    private init(scheme: Origin.Scheme, authority: Substring, reference: Substring) throws(ConversationError) {
        var host = authority
        var userinfo: String?
        if let at = authority.lastIndex(ofASCII: "@") {
            userinfo = String(authority[..<at])
            host = authority[authority.utf8.index(after: at)...]
        }
        let (target, fragment) = URLText.splitFragment(reference)
        let rooted = target.utf8.first == UInt8(ascii: "/") ? target : "/" + target
        self.init(
            origin: try Origin(scheme: scheme, authority: host),
            requestTarget: URLText.encode(rooted),
            fragment: fragment.map { URLText.encode($0, in: .query) },
            userinfo: userinfo)
    }

    /// Resolves a reference such as a `Location` value against this URL (RFC 3986 §5.2); the fragment is inherited.
    ///
    /// Spaces, non-ASCII bytes and backslashes in a query, which some servers send, are percent-encoded; control
    /// characters and other backslashes are refused.
    public func resolving(_ reference: String) throws(ConversationError) -> TargetURL {
        let text = URLText.encodeReference(reference.trimmingSpaces)
        try URLText.requireVisible(text)
        let resolved: TargetURL
        if URLText.splitScheme(Substring(text)) != nil {
            resolved = try TargetURL(text)
        } else if text.starts(withBytesOf: "//") {
            resolved = try TargetURL("\(origin.scheme.rawValue):\(text)")
        } else {
            let (target, fragment) = URLText.splitFragment(Substring(text))
            // Behind a `*` a query would become a part of the host.
            let base = isServerWide && !target.isEmpty ? "/" : requestTarget
            let merged = URLText.merge(target, onto: base)
            resolved = TargetURL(origin: origin, requestTarget: merged, fragment: fragment.map(String.init))
        }
        return TargetURL(
            origin: resolved.origin, requestTarget: URLText.removingDotSegments(resolved.requestTarget),
            fragment: resolved.fragment ?? fragment, userinfo: resolved.userinfo)
    }

    /// Whether it is the target of a server-wide OPTIONS, which has no path (RFC 9112 §3.2.4).
    var isServerWide: Bool { requestTarget == "*" }

    /// The path without the query.
    public var path: Substring { requestTarget[..<parts.endOfPath] }

    /// Calls a closure with the bytes of the path. Comparing those of a slice of a text takes many times as long.
    func withPathBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let count = requestTarget.utf8.distance(from: requestTarget.startIndex, to: parts.endOfPath)
        var target = requestTarget
        return target.withUTF8 { body(UnsafeBufferPointer(rebasing: $0[..<count])) }
    }

    /// The query without its question mark.
    public var query: Substring? {
        let mark = parts.endOfPath
        return mark == requestTarget.endIndex ? nil : requestTarget[requestTarget.utf8.index(after: mark)...]
    }

    /// The whole URL without userinfo.
    public var absoluteString: String { absoluteForm + (fragment.map { "#\($0)" } ?? "") }

    /// The request target for a proxy (RFC 9112 §3.2.2). A server-wide OPTIONS has no path there (§3.2.4).
    package var absoluteForm: String { isServerWide ? "\(origin)" : "\(origin)\(requestTarget)" }

    /// The URL as Foundation's type.
    public var foundationURL: URL {
        // Every character was checked before; the fallback only avoids a trap.
        URL(string: absoluteString) ?? URL(filePath: "/")
    }

    public static func == (one: TargetURL, other: TargetURL) -> Bool {
        one.parts === other.parts
            || one.origin == other.origin && one.requestTarget == other.requestTarget
                && one.fragment == other.fragment && one.userinfo == other.userinfo
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        hasher.combine(requestTarget)
    }

    /// The same URL without its userinfo, which must not be sent after a redirect.
    func withoutUserinfo() -> TargetURL {
        guard userinfo != nil else { return self }
        return TargetURL(origin: origin, requestTarget: requestTarget, fragment: fragment, shown: parts.shown)
    }

    /// The same URL, for which other texts are shown.
    func showing(_ shown: ShownURL) -> TargetURL {
        TargetURL(
            origin: origin, requestTarget: requestTarget, fragment: fragment, userinfo: userinfo, shown: shown)
    }
}

/// The texts to show for a URL that has a secret in it.
final class ShownURL: Sendable {
    let url: String
    let origin: String

    init(url: String, origin: String) {
        self.url = url
        self.origin = origin
    }
}
