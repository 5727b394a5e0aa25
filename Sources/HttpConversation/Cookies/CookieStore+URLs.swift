/// The same with URLs of every spelling, which may turn out to be none.
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

    /// Takes the values of `Set-Cookie` fields that came with the response from a URL.
    ///
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme``
    public func store(setCookie values: [String], from url: some TargetURLConvertible) throws(ConversationError) {
        store(setCookie: values, from: try url.targetURL())
    }
}
