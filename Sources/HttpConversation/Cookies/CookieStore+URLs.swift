/// The same functions for URLs of all types, which throw if the URL is invalid.
extension CookieStore {
    /// The cookies that a request to a URL would carry.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme``
    public func cookies(for url: some TargetURLConvertible) throws(ConversationError) -> [Cookie] {
        cookies(for: try url.targetURL())
    }

    /// Removes the cookies that a request to a URL would carry.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme``
    public func removeCookies(for url: some TargetURLConvertible) throws(ConversationError) {
        removeCookies(for: try url.targetURL())
    }

    /// Stores the values of `Set-Cookie` fields in the response from a URL.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme``
    public func store(setCookie values: [String], from url: some TargetURLConvertible) throws(ConversationError) {
        store(setCookie: values, from: try url.targetURL())
    }
}
