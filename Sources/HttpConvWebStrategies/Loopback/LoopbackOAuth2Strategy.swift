public import HttpConvAuthFlows
public import HttpConversation

/// A login in the system's browser, whose answer comes to a listener on this machine (RFC 8252 §7.3).
///
/// The redirect URI is `http://127.0.0.1:0/callback` or similar. `[::1]` and `localhost` (which listens on both) work
/// too, and a port other than 0 is used as it is. The listener answers the registered path only, shows a page that
/// repeats nothing of the request, and is closed when the login ends. On Linux it closes the connections of programs that
/// belong to another user than this process's, root, or the user who called `sudo` (security rule S19).
public struct LoopbackOAuth2Strategy: OAuth2WebStrategy {
    private let opener: any ExternalURLOpener
    private let page: FinishedPage

    /// Creates a strategy that opens URLs with `opener`.
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
        // Only web pages are passed to the system: another scheme could start any program (security rule S19).
        let endpoint = try request.webEndpoint()
        try context.requireHeldElsewhere(at: endpoint.origin, by: "The system's browser")
        let arrival = FirstAnswer<OAuth2AuthorizationAnswer>()
        let listener = try await LoopbackListener.start(for: configured, page: page) { url, redirect in
            guard request.isAnswer(url, redirectURI: redirect) else { return false }
            arrival.fulfil(OAuth2AuthorizationAnswer(url: url, redirectURI: redirect))
            return true
        }
        let result: Result<OAuth2AuthorizationAnswer, any Error>
        do {
            try await opener.open(try await request.url(redirectURI: listener.redirectURI))
            result = .success(try await arrival.value())
        } catch { result = .failure(error) }
        await listener.stop()
        return try result.get()
    }
}
