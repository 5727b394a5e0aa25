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

    mutating func next(_ link: String, from page: TargetURL) throws(ODataError) -> Step {
        let target = try client.root.resolve(link, from: page)
        guard client.root.contains(target) || client.configuration.trustedOrigins.contains(target.origin) else {
            throw ODataError(
                .linkRefused,
                "A page of \(client.root.url) says that the next one is out of the service, at \(target.origin): it is not "
                    + "read. If that is meant, add the origin to trustedOrigins; it is then asked without credentials.")
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
