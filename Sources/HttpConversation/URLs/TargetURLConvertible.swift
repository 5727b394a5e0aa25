public import HttpConvPlatform

/// A type that URLs can be given as: text, a `URL`, or a checked ``TargetURL``.
///
/// Every function of this library that takes a URL accepts any of them, throws if it is invalid, and uses the resulting
/// ``TargetURL``. If only a server is meant, the URL's origin counts, and its path is ignored.
public protocol TargetURLConvertible: Sendable {
    /// The URL as written, for comparisons as text, such as of issuers and redirect URIs.
    var urlText: String { get }
    /// The checked URL. Default: parses ``urlText``.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme``
    func targetURL() throws(ConversationError) -> TargetURL
}

extension TargetURLConvertible {
    public func targetURL() throws(ConversationError) -> TargetURL { try TargetURL(urlText) }

    /// The origin of the URL.
    ///
    /// - Throws: as ``targetURL()``; also for a URL with a user name or password, which is a mistake in a list of
    ///   servers
    package func targetOrigin() throws(ConversationError) -> Origin {
        let target = try targetURL()
        try target.refuseUserinfo()
        return target.origin
    }
}

extension String: TargetURLConvertible {
    /// The text itself.
    public var urlText: String { self }
}

extension Substring: TargetURLConvertible {
    /// The text itself.
    public var urlText: String { String(self) }
}

extension URL: TargetURLConvertible {
    /// The absolute URL.
    public var urlText: String { absoluteString }
}

extension TargetURL: TargetURLConvertible {
    /// The URL without userinfo.
    public var urlText: String { absoluteString }
    /// The URL itself, which was checked before.
    public func targetURL() throws(ConversationError) -> TargetURL { self }
}

extension Origin: TargetURLConvertible {
    /// The origin as text, such as `https://example.com`.
    public var urlText: String { description }
    /// The root of the origin.
    public func targetURL() throws(ConversationError) -> TargetURL { TargetURL(origin: self, requestTarget: "/") }
}

extension Sequence where Element == any TargetURLConvertible {
    /// The origins of URLs.
    package func origins() throws(ConversationError) -> Set<Origin> {
        var origins: Set<Origin> = []
        for url in self { origins.insert(try url.targetOrigin()) }
        return origins
    }
}
