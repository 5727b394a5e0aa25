#if os(Linux)
import HTTPTypes
import HttpConversation

/// The check of `Cross-Origin-Resource-Policy` (Fetch standard §3.7). The browser makes it when it reads from the
/// network, so it makes none for answers of the conversation.
struct ResourcePolicy {
    // swift-format-ignore: NeverForceUnwrap
    private static let name = HTTPField.Name("Cross-Origin-Resource-Policy")!
    // swift-format-ignore: NeverForceUnwrap
    private static let allowOrigin = HTTPField.Name("Access-Control-Allow-Origin")!

    /// The list of public suffixes; nil: two servers are of one site only if they have the same name.
    let publicSuffixes: PublicSuffixList?

    /// Whether a document of another server may use an answer.
    ///
    /// - Parameters:
    ///   - answer: the fields of the answer
    ///   - server: the sender of the answer
    ///   - page: the server of the document; nil if it is unknown
    ///   - asked: the fields of the request
    func allows(_ answer: HTTPFields, of server: Origin, to page: Origin?, asked: HTTPFields) -> Bool {
        // The browser decides about CORS requests.
        if let origin = asked[.origin], ["*", origin].contains(answer[Self.allowOrigin] ?? "") { return true }
        return switch answer[Self.name] {
        case "same-origin"?: page == server
        case "same-site"?: page.map { isSameSite($0, server) } ?? false
        default: true
        }
    }

    /// Whether two servers are of one site, which browsers call schemefully same-site.
    func isSameSite(_ one: Origin, _ other: Origin) -> Bool {
        one.scheme == other.scheme && site(of: one) == site(of: other)
    }

    /// The registrable domain, or the host without one.
    private func site(of origin: Origin) -> String {
        guard let publicSuffixes, !origin.isIPLiteral else { return origin.host }
        let labels = origin.host.split(separator: ".")
        let suffixes = labels.indices.reversed().map { labels[$0...].joined(separator: ".") }
        return suffixes.first { !publicSuffixes.isPublicSuffix($0) } ?? origin.host
    }
}
#endif
