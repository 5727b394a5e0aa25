public import HttpConversation

extension ConversationContext {
    /// Refuses a login in a browser that is not the conversation's where it cannot hold what decides which server is spoken
    /// to: pinned keys, a given address or a Unix socket (security rule S28). For strategies that open the person's own
    /// browser, or a view of the system. Its proxy, authorities and network are the person's own.
    ///
    /// - Parameters:
    ///   - origin: the server of the login's pages
    ///   - browser: for the message, such as "The system's browser"
    /// - Throws: ``WebLoginError/Code/invalidConfiguration``
    public func requireHeldElsewhere(at origin: Origin, by browser: String) throws(WebLoginError) {
        let lost = connectionPolicy.settings(for: origin).intersection([.pinnedKeys, .givenAddress, .unixSocket])
        guard !lost.isEmpty else { return }
        throw WebLoginError(
            .invalidConfiguration,
            """
            \(browser) cannot hold what is set for connections to \(origin) (\(lost.words)). Nothing was sent: show the login \
            in the terminal or in Chromium, or leave the setting out.
            """)
    }

    /// Refuses a login in a view of the application's own where settings hold for its servers that the view does not know:
    /// those of a ``/HttpConversation/ConnectionPolicy``, and a proxy (security rules S25 and S28).
    ///
    /// A view that is led to other servers looks at ``/HttpConversation/ConversationContext/connectionPolicy`` for them.
    ///
    /// - Parameters:
    ///   - login: what is to be shown
    ///   - view: for the message, such as "A web view"
    /// - Throws: ``WebLoginError/Code/invalidConfiguration``; what is wrong with a proxy
    public func requireHeldElsewhere(_ login: WebLogin, by view: String) throws {
        for target in [login.start] + login.cookieTargets {
            let lost = connectionPolicy.settings(for: target.origin)
            let proxy = try configuration.proxies.proxy(for: target).map { "the proxy \($0)" }
            let words = [lost.isEmpty ? nil : lost.words, proxy].compactMap { $0 }.joined(separator: ", ")
            guard words.isEmpty else {
                throw WebLoginError(
                    .invalidConfiguration,
                    "\(view) cannot hold what is set for connections to \(target.origin) (\(words)). Nothing was sent: leave the setting out, or register another strategy."
                )
            }
        }
    }
}
