import HttpConversation

/// The root of a service. All its requests stay below it, by origin and whole segments of the path.
struct ServiceRoot: Sendable {
    let url: TargetURL

    init(_ root: some TargetURLConvertible) throws(ODataError) {
        do throws(ConversationError) {
            let url = try root.targetURL()
            guard url.userinfo == nil, url.query == nil, url.fragment == nil else {
                throw ConversationError(
                    .invalidURL, "It has a user name, a query or a fragment: leave it out.")
            }
            self.url = try url.with(path: url.path.hasSuffix("/") ? String(url.path) : "\(url.path)/")
        } catch {
            throw ODataError(
                .invalidService, "The service's address cannot be used: \(error.message)", underlyingError: error)
        }
    }

    /// A target below the root.
    ///
    /// - Parameters:
    ///   - path: relative and percent-encoded
    ///   - query: percent-encoded, without its question mark
    func target(_ path: String, query: String = "") throws(ODataError) -> TargetURL {
        guard !path.hasPrefix("/"), !PathSpace.hasDotSegments(path[...]) else {
            throw ODataError(
                .invalidRequest,
                "A key has a slash with dots beside it, which servers between here and the service may take for another "
                    + "path: ask for it by a filter.")
        }
        do throws(ConversationError) {
            let target = try url.with(path: "\(url.path)\(path)")
            return query.isEmpty ? target : try target.with(query: query)
        } catch {
            throw ODataError(
                .invalidRequest, "The request's address cannot be used: \(error.message)", underlyingError: error)
        }
    }

    /// The target of a service's link, which may be relative to an address.
    func resolve(_ link: String, from base: TargetURL) throws(ODataError) -> TargetURL {
        do throws(ConversationError) {
            guard link.utf8.count <= 16 << 10 else { throw ConversationError(.invalidURL, "It is too long.") }
            let target = try base.resolving(link)
            guard target.userinfo == nil else { throw ConversationError(.invalidURL, "It has a user name.") }
            return target
        } catch {
            throw ODataError(
                .malformedAnswer, "A link of \(url) cannot be used: \(error.message)", underlyingError: error)
        }
    }

    /// The target of a service's link, which must be below the root.
    func inside(_ link: String, from base: TargetURL) throws(ODataError) -> TargetURL {
        let target = try resolve(link, from: base)
        guard contains(target) else {
            throw ODataError(
                .linkRefused,
                // A name that the service chose may repeat a secret that it got.
                "A link of \(url) leads out of it: it is not followed. Open a store there if that is meant.")
        }
        return target
    }

    /// The path with a service's absolute link made relative to the root.
    func relative(_ path: ODataPath) -> ODataPath {
        guard let (link, rest) = path.link else { return path }
        for start in [url.absoluteString, String(url.path)] where link.hasPrefix(start) {
            return ODataPath(segments: [.link(String(link.dropFirst(start.count)))] + rest.segments)
        }
        return path
    }

    func contains(_ target: TargetURL) -> Bool {
        target.origin == url.origin && PathSpace.contains(String(url.path), target)
    }
}
