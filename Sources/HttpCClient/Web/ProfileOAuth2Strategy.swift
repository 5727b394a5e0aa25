import HttpC
import HttpCTerminal

/// Shows a profile's OAuth2 logins, with a viewer that fits their redirect URI.
struct ProfileOAuth2Strategy: OAuth2WebStrategy {
    let web: ProfileWeb

    func authorize(
        _ request: OAuth2AuthorizationRequest, in context: ConversationContext
    ) async throws -> OAuth2AuthorizationAnswer {
        if let browser = try web.systemBrowser(for: request) {
            context.notify(
                .webLoginShown(.oauth2, origin: request.endpoint?.origin, by: web.words(canListen: true)))
            tellWhatIsLeftToTheBrowser(request, context)
            return try await browser.authorize(request, in: context)
        }
        return try await ProfileWebStrategy(web: web).authorize(request, in: context)
    }

    /// Warns if settings do not apply in the person's own browser, which has its own proxy, authorities and network
    /// (security rule S28).
    private func tellWhatIsLeftToTheBrowser(_ request: OAuth2AuthorizationRequest, _ context: ConversationContext) {
        guard let endpoint = request.endpoint else { return }
        let settings = context.connectionPolicy.settings(for: endpoint.origin)
        let hasProxy = (try? context.configuration.proxies.proxy(for: endpoint)) != nil
        guard hasProxy || !settings.isDisjoint(with: [.authorities, .proxyAuthorities, .addressFamily]) else { return }
        web.diagnostics.message(
            "your browser shows this login, with its own proxy, authorities and network settings. The settings of httpc apply to all other requests."
        )
    }
}
