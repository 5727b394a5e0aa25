public import HttpConversation

/// A service whose modifying requests need a token against cross-site request forgery, where it should be known before
/// the service says so.
///
/// Without one, `CSRFFilter` learns of the need from the first 403 and takes the root from the URL: for OData what
/// comes before the first segment with a key or an operation, else the directory.
public struct CSRFService: Hashable, Sendable {
    /// Where tokens are fetched. Everything at or below its path belongs to the service, by whole segments; a query
    /// such as `?sap-client=100` goes along with the fetch.
    public let root: TargetURL
    /// Whether a token is fetched before the first modifying request, so that no body is sent in vain.
    public let fetchesAhead: Bool

    /// Describes a service.
    ///
    /// - Parameters:
    ///   - root: an absolute URL
    ///   - fetchesAhead: whether a token is asked for before the first change
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidURL``,
    ///   ``/HttpConversation/ConversationError/Code/unsupportedScheme``
    public init(root: some TargetURLConvertible, fetchesAhead: Bool = true) throws(ConversationError) {
        self.root = try root.targetURL()
        self.fetchesAhead = fetchesAhead
    }

    func contains(_ target: TargetURL) -> Bool { root.isServiceRoot(of: target) }
}

extension TargetURL {
    /// Whether a URL belongs to the service that has this root.
    func isServiceRoot(of target: TargetURL) -> Bool {
        origin == target.origin && PathSpace.contains(String(path), target)
    }

    /// The root of the service that this URL looks like a part of; nil where the path is not what it says.
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
