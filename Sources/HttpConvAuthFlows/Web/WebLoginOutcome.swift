public import HttpConversation

/// The result of a web login.
public struct WebLoginOutcome: Sendable {
    /// The URL of the navigation that ended it.
    public let finish: Redacted<String>
    /// The view's cookies; the caller drops those that do not belong to the login.
    public let cookies: [Cookie]

    /// Creates a result.
    ///
    /// - Parameters:
    ///   - url: the URL as text, of any scheme
    ///   - cookies: the view's cookies
    public init(url: some TargetURLConvertible, cookies: [Cookie] = []) {
        finish = Redacted(url.urlText)
        self.cookies = cookies
    }
}
