public import HttpConversation

/// How a web login ended.
public struct WebLoginOutcome: Sendable {
    /// The URL of the navigation that ended it.
    public let finish: Redacted<String>
    /// The view's cookies; those that the login does not concern are dropped by whoever asked for it.
    public let cookies: [Cookie]

    /// Describes the end of a login.
    ///
    /// - Parameters:
    ///   - url: as it was written: it may have a scheme of its own
    ///   - cookies: what the login left of them
    public init(url: some TargetURLConvertible, cookies: [Cookie] = []) {
        finish = Redacted(url.urlText)
        self.cookies = cookies
    }
}
