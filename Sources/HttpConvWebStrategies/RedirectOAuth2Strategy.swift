public import HttpConvAuthFlows
public import HttpConversation

/// Shows an OAuth2 login with the strategy that its redirect URI needs (RFC 8252 §7).
///
/// A loopback URI needs a listener, so the person's own browser can be used. For an https URI, a custom scheme or the
/// address of a server on this machine, our own view sees the redirect before it is loaded.
public struct RedirectOAuth2Strategy: OAuth2WebStrategy {
    private let listening: any OAuth2WebStrategy
    private let viewing: @Sendable () -> (any OAuth2WebStrategy)?

    /// Creates a choice of two strategies.
    ///
    /// - Parameters:
    ///   - listening: for redirects to a listener on this machine, such as ``LoopbackOAuth2Strategy``
    ///   - viewing: returns the strategy for all others, called for each login; nil if a login cannot be shown now
    public init(
        listening: some OAuth2WebStrategy, viewing: @escaping @Sendable () -> (any OAuth2WebStrategy)?
    ) {
        self.listening = listening
        self.viewing = viewing
    }

    public func authorize(
        _ request: OAuth2AuthorizationRequest, in context: ConversationContext
    ) async throws -> OAuth2AuthorizationAnswer {
        if request.needsListener { return try await listening.authorize(request, in: context) }
        guard let view = viewing() else {
            throw OAuth2Error(
                .loginFailed,
                "The redirect URI \(request.redirectURI) needs pages of our own, and there is nothing to show them with: "
                    + "neither a display with a browser nor a terminal. Register a strategy with WebStrategies.")
        }
        return try await view.authorize(request, in: context)
    }
}
