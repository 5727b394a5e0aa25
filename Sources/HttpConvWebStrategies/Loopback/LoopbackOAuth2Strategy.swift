public import HttpConvAuthFlows
public import HttpConversation

/// A login in the system browser, answered to a listener on this machine (RFC 8252 §7.3).
///
/// The redirect URI is `http://127.0.0.1:0/callback` or one like it: `[::1]` and `localhost` (which listens on both)
/// work too, a port other than 0 is taken as it is. The listener answers the registered path only, shows a page that
/// repeats nothing of what was asked, and is gone when the login ends (security rule S19).
public struct LoopbackOAuth2Strategy: OAuth2WebStrategy {
    private let opener: any ExternalURLOpener
    private let page: FinishedPage

    /// A strategy that opens URLs by `opener`.
    public init(opener: some ExternalURLOpener, page: FinishedPage = FinishedPage()) {
        self.opener = opener
        self.page = page
    }

    public func authorize(
        _ request: OAuth2AuthorizationRequest, in context: ConversationContext
    ) async throws -> OAuth2AuthorizationAnswer {
        let configured = request.redirectURI
        guard configured.kind == .loopback else {
            throw OAuth2Error(
                .invalidConfiguration,
                "The redirect URI \(configured) does not lead to this machine: use http://127.0.0.1:0/callback or another strategy."
            )
        }
        // Only web pages are handed to the system: another scheme may start anything (security rule S19).
        guard let endpoint = request.endpoint else {
            throw OAuth2Error(
                .invalidConfiguration, "The authorization endpoint is no web page: use CustomSchemeOAuth2Strategy.")
        }
        try context.requireHeldElsewhere(at: endpoint.origin, by: "The system's browser")
        let arrival = Arrival<OAuth2AuthorizationAnswer>()
        let listener = try await LoopbackListener.start(for: configured, page: page) { url, redirect in
            guard request.isAnswer(url, redirectURI: redirect) else { return false }
            arrival.fulfil(OAuth2AuthorizationAnswer(url: url, redirectURI: redirect))
            return true
        }
        let result: Result<OAuth2AuthorizationAnswer, any Error>
        do {
            try await opener.open(try request.url(redirectURI: listener.redirectURI))
            result = .success(try await arrival.value())
        } catch { result = .failure(error) }
        await listener.stop()
        return try result.get()
    }
}
