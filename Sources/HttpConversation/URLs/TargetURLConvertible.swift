public import Foundation

/// What a URL is given as: text, a `URL`, or a ``TargetURL`` that was checked before.
///
/// Everything in this library that takes a URL takes any of them, and says what is wrong with one by throwing; what comes
/// out is a ``TargetURL``. Where only a server matters, the URL's origin counts, and its path limits nothing.
public protocol TargetURLConvertible: Sendable {
    /// The URL as it was written: what counts where URLs are compared as text, such as issuers and redirect URIs.
    var urlText: String { get }
    /// The URL, checked. Default: ``urlText`` parsed.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme``
    func targetURL() throws(ConversationError) -> TargetURL
}

extension TargetURLConvertible {
    public func targetURL() throws(ConversationError) -> TargetURL { try TargetURL(urlText) }

    /// The server of the URL.
    ///
    /// - Throws: as ``targetURL()``; also for a URL with a user name or password, which is not meant for a list of servers
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
    /// The URL itself: it was checked before.
    public func targetURL() throws(ConversationError) -> TargetURL { self }
}

extension Origin: TargetURLConvertible {
    /// Such as `https://example.com`.
    public var urlText: String { description }
    /// The root of the origin.
    public func targetURL() throws(ConversationError) -> TargetURL { TargetURL(origin: self, requestTarget: "/") }
}

extension Sequence where Element == any TargetURLConvertible {
    /// The servers of URLs.
    package func origins() throws(ConversationError) -> Set<Origin> {
        var origins: Set<Origin> = []
        for url in self { origins.insert(try url.targetOrigin()) }
        return origins
    }
}
