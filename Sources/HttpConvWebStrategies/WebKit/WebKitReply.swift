/// The reaction to a ``WebKitEvent``.
enum WebKitReply: Sendable {
    /// WebKit goes on.
    case allow
    /// WebKit drops it.
    case cancel
    /// WebKit drops it, and the view itself loads the request, in the main frame.
    case loadInPlace
}
