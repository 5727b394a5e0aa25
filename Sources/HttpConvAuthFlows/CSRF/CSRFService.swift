import HttpConvFormats
public import HttpConversation

/// A service whose modifying requests need a token against cross-site request forgery. Configure it if its root should
/// be known before the service demands a token.
///
/// Without one, `CSRFFilter` learns of the demand from the first 403 and derives the root from the URL: for OData the
/// part before the first segment with a key or an operation, else the directory.
public struct CSRFService: Hashable, Sendable {
    /// The URL that tokens are fetched from. URLs at or below its path belong to the service, by whole segments. A
    /// query such as `?sap-client=100` is sent with the fetch.
    public let root: TargetURL
    /// Whether a token is fetched before the first modifying request, so that no body is sent in vain.
    public let fetchesAhead: Bool

    /// Describes a service.
    ///
    /// - Parameters:
    ///   - root: an absolute URL
    ///   - fetchesAhead: whether a token is fetched before the first modifying request
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidURL``,
    ///   ``/HttpConversation/ConversationError/Code/unsupportedScheme``
    public init(root: some TargetURLConvertible, fetchesAhead: Bool = true) throws(ConversationError) {
        self.root = try root.targetURL()
        self.fetchesAhead = fetchesAhead
    }

    func contains(_ target: TargetURL) -> Bool { root.isServiceRoot(of: target) }
}

extension TargetURL {
    /// Whether a URL belongs to the service with this root.
    func isServiceRoot(of target: TargetURL) -> Bool {
        origin == target.origin && PathSpace.contains(String(path), target)
    }

    /// The likely root of the URL's service; nil if the path is ambiguous.
    var suggestedServiceRoot: TargetURL? {
        guard let directory = PathSpace.directory(of: self) else { return nil }
        let segments = directory.split(ascii: "/", keepsEmpty: true)
        let root = segments.prefix {
            !$0.starts(withBytesOf: "$") && !$0.contains(ascii: "(") && !$0.lowercased().contains("%28")
        }
        let path = root.count == segments.count ? directory : root.joined(separator: "/") + "/"
        return try? with(path: path)
    }
}
