public import HttpConversation

extension ConversationContext {
    /// Refuses a login in a browser that cannot apply the conversation's settings for the server: pinned keys, a given
    /// address or a Unix socket (security rule S28). For strategies that open the person's own browser, or a view of
    /// the system. Their proxy, authorities and network are the person's own.
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
            \(browser) cannot apply the connection settings for \(origin) (\(lost.words)). Nothing was sent: show the login \
            in the terminal or in Chromium, or leave the setting out.
            """)
    }

    /// Refuses a login in a view of the application that does not apply the settings for the login's servers: those of
    /// a ``/HttpConversation/ConnectionPolicy``, and a proxy (security rules S25 and S28).
    ///
    /// For other servers that it is led to, a view checks ``/HttpConversation/ConversationContext/connectionPolicy``.
    ///
    /// - Parameters:
    ///   - login: the login to show
    ///   - view: for the message, such as "A web view"
    /// - Throws: ``WebLoginError/Code/invalidConfiguration``; the error of an invalid proxy
    public func requireHeldElsewhere(_ login: WebLogin, by view: String) throws {
        try requireHeldElsewhere(login, by: view, connectionPolicy)
    }

    /// - Parameter policy: the settings that the view does not apply
    package func requireHeldElsewhere(_ login: WebLogin, by view: String, _ policy: ConnectionPolicy) throws {
        for target in [login.start] + login.cookieTargets {
            let lost = policy.settings(for: target.origin)
            let proxy = try configuration.proxies.proxy(for: target).map { "the proxy \($0)" }
            let words = [lost.isEmpty ? nil : lost.words, proxy].compactMap { $0 }.joined(separator: ", ")
            guard words.isEmpty else {
                throw WebLoginError(
                    .invalidConfiguration,
                    "\(view) cannot apply the connection settings for \(target.origin) (\(words)). Nothing was sent: leave the setting out, or register another strategy."
                )
            }
        }
    }
}
