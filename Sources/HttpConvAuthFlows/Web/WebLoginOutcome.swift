public import HttpConversation

/// How a web login ended.
public struct WebLoginOutcome: Sendable {
    /// The URL of the navigation that ended it.
    public let url: Redacted<String>
    /// The view's cookies; those that the login does not concern are dropped by whoever asked for it.
    public let cookies: [Cookie]

    /// Describes the end of a login.
    public init(url: String, cookies: [Cookie] = []) {
        self.url = Redacted(url)
        self.cookies = cookies
    }
}
