import HttpC

/// The address of a page in a profile.
enum PageAddress: Sendable {
    case absolute(TargetURL)
    /// A path, at the origin of each request.
    case relative(String)

    /// The page for a request.
    func url(for target: TargetURL) throws(ConversationError) -> TargetURL {
        switch self {
        case .absolute(let url): url
        case .relative(let path): try target.origin.url(requestTarget: path)
        }
    }

    /// The origin of an absolute address.
    var origin: Origin? {
        if case .absolute(let url) = self { url.origin } else { nil }
    }
}
