import HttpConvFormats
import HttpConversation

/// Checks the links to next pages.
struct PageLinks {
    /// The target of a request, and whether it gets credentials.
    struct Step {
        let target: TargetURL
        /// Whether the request goes without the manager's credentials.
        let isForeign: Bool
    }

    private let client: ServiceClient
    /// The pages that were read, by randomly seeded hashes, so that peers cannot provoke collisions.
    private var seen: Set<Int> = []
    private var isForeign = false

    init(_ client: ServiceClient, first: TargetURL) {
        self.client = client
        seen.insert(first.hashValue)
    }

    /// The step to the next page; nil after the last one.
    ///
    /// - Parameters:
    ///   - page: the address of the page that has the envelope
    ///   - sent: the secrets that were sent for the page, which the link may repeat
    mutating func next(
        _ envelope: PageEnvelope, from page: TargetURL, _ sent: SentFields
    ) throws(ODataError) -> Step? {
        guard let target = try client.nextPage(envelope, of: page) else { return nil }
        guard client.root.contains(target) || client.configuration.trustedOrigins.contains(target.origin) else {
            throw ODataError(
                .linkRefused,
                "A page of \(client.root.url) says that the next one is out of the service, at "
                    + "\(target.hiding(sent).shownOrigin): it is not read. If that is meant, add the "
                    + "origin to trustedOrigins; it is then asked without credentials.")
        }
        // After one page elsewhere, all later pages are requested without credentials.
        isForeign = isForeign || !client.root.contains(target)
        guard seen.insert(target.hashValue).inserted else {
            throw ODataError(
                .pagesInACircle, "A page of \(client.root.url) says that the next one is one that was read already.")
        }
        guard seen.count <= client.configuration.limits.pages else {
            throw ODataError(
                .tooManyPages,
                "\(client.root.url) has more than \(client.configuration.limits.pages) pages: ask for less, or raise the limit."
            )
        }
        return Step(target: target, isForeign: isForeign)
    }
}

extension ServiceClient {
    /// The target of a page's link to the next page; nil if it has none.
    func nextPage(_ envelope: PageEnvelope, of page: TargetURL) throws(ODataError) -> TargetURL? {
        guard let link = envelope.nextLink else { return nil }
        return try root.resolve(link, from: base(of: link, envelope.base, on: page))
    }

    /// The base of a page's link: the page's context URL or `xml:base`, and without one the page itself, or in OData
    /// 2.0 the root of the service. A link that is a query alone belongs to the page.
    ///
    /// - Parameter base: the address that the page names for its links; not used if it is elsewhere, as from behind a
    ///   proxy
    func base(of link: String, _ base: String? = nil, on page: TargetURL) -> TargetURL {
        guard !link.hasPrefix("?") else { return page }
        let isInside = root.contains(page)
        // The fragment of a context URL describes the page, and is not part of the base.
        if let base = base?.prefix(while: { $0 != "#" }), let named = try? root.resolve(String(base), from: page),
            named.origin == page.origin,
            root.contains(named) || !isInside
        {
            return named
        }
        return version == .v2 && isInside ? root.url : page
    }
}
