import HttpConvFormats
public import HttpConversation

/// A service whose modifying requests need a token against cross-site request forgery. Configure it if its root should
/// be known before the service demands a token.
///
/// Without one, `CSRFFilter` learns of the demand from the first 403 and derives the root from the URL: for OData the
/// part before the first segment with a key or an operation, else the directory.
public struct CSRFService: Hashable, Sendable {
    /// The URL that tokens are fetched from. URLs at or below its path belong to the service, by whole segments. A
    /// query such as `?sap-client=100` is sent with the fetch; if it names no client, the request's is added.
    public let root: TargetURL
    /// Whether a token is fetched before the first modifying request, so that no body is sent twice.
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

    func contains(_ target: TargetURL) -> Bool {
        root.isServiceRoot(of: target) || root.clientOption == nil && root.isAbove(target)
    }

    /// The URL to fetch a token for a request from.
    func root(for target: TargetURL) -> TargetURL { root.forClient(of: target) }
}

extension TargetURL {
    /// Whether a URL belongs to the service with this root. A token of one client is of no use to another one.
    func isServiceRoot(of target: TargetURL) -> Bool {
        isAbove(target) && (target.clientOption == nil || target.clientOption == clientOption)
    }

    fileprivate func isAbove(_ target: TargetURL) -> Bool {
        origin == target.origin && PathSpace.contains(String(path), target)
    }

    /// The likely root of the URL's service; nil if the path is ambiguous.
    var suggestedServiceRoot: TargetURL? {
        guard let directory = PathSpace.directory(of: self) else { return nil }
        let segments = directory.split(ascii: "/", keepsEmpty: true)
        // A segment in parentheses is a session of ASP.NET, not a key.
        let root = segments.prefix { segment in
            let isKey = segment.contains(ascii: "(") && !segment.starts(withBytesOf: "(")
            return !segment.starts(withBytesOf: "$") && !isKey && !segment.lowercased().contains("%28")
        }
        let path = root.count == segments.count ? directory : root.joined(separator: "/") + "/"
        return (try? with(path: path))?.forClient(of: self)
    }

    /// The parameter that selects the client of an SAP system, such as `sap-client=100`.
    var clientOption: Substring? {
        query?.split(ascii: "&").first { $0.starts(withASCIILetters: "sap-client=") }
    }

    /// This URL, with the client of `target` unless it names one itself.
    fileprivate func forClient(of target: TargetURL) -> TargetURL {
        guard clientOption == nil, let option = target.clientOption else { return self }
        return (try? TargetURL("\(absoluteString)\(query == nil ? "?" : "&")\(option)")) ?? self
    }
}
