public import HttpConvAuthFlows
public import HttpConversation

/// Shows an OAuth2 login with the strategy that its redirect URI needs (RFC 8252 §7).
public struct RedirectOAuth2Strategy: OAuth2WebStrategy {
    private let system: OAuth2Display.System
    private let listening: (any OAuth2WebStrategy)?
    private let session: (any OAuth2WebStrategy)?
    private let opener: (any ExternalURLOpener)?
    private let viewing: @Sendable () -> (any OAuth2WebStrategy)?

    /// Creates a choice of two strategies, for a system without authentication sessions: a view of our own, outside of
    /// the application, sees every redirect before it is loaded.
    ///
    /// - Parameters:
    ///   - listening: for redirects to a listener on this machine, such as ``LoopbackOAuth2Strategy``
    ///   - viewing: returns the strategy for all others, called for each login; nil if a login cannot be shown now
    public init(
        listening: some OAuth2WebStrategy, viewing: @escaping @Sendable () -> (any OAuth2WebStrategy)?
    ) {
        system = .ownBrowser
        session = nil
        opener = nil
        self.listening = listening
        self.viewing = viewing
    }

    /// Creates a choice for an application on a system with authentication sessions.
    ///
    /// - Parameters:
    ///   - associatedDomains: the domains that the application is associated with (`webcredentials`), for https
    ///     redirect URIs
    ///   - listening: for redirects to a listener on this machine; nil if the system does not let one run
    ///   - session: the system's authentication session
    ///   - opener: opens authorization endpoints of other applications; nil: there are none
    ///   - viewing: a web view of the application, for servers that allow one
    public init(
        associatedDomains: Set<String>, listening: (any OAuth2WebStrategy)?, session: some OAuth2WebStrategy,
        opener: (any ExternalURLOpener)? = nil, viewing: some OAuth2WebStrategy
    ) {
        system = .application(associatedDomains: associatedDomains, hasListener: listening != nil)
        self.listening = listening
        self.session = session
        self.opener = opener
        self.viewing = { viewing }
    }

    public func authorize(
        _ request: OAuth2AuthorizationRequest, in context: ConversationContext
    ) async throws -> OAuth2AuthorizationAnswer {
        let display = try OAuth2Display(
            for: request.redirectURI, at: request.endpoint, needsListener: request.needsListener,
            allowsWebView: request.allowsWebView, on: system)
        let strategy: (any OAuth2WebStrategy)? =
            switch display {
            case .listener: listening
            case .authenticationSession: session
            case .otherApplication: opener.map { CustomSchemeOAuth2Strategy(opener: $0) } ?? viewing()
            case .view: viewing()
            }
        guard let strategy else {
            throw OAuth2Error(
                .loginFailed,
                "The redirect URI \(request.redirectURI) needs pages of our own, and there is nothing to show them with: "
                    + "neither a display with a browser nor a terminal. Register a strategy with WebStrategies.")
        }
        return try await strategy.authorize(request, in: context)
    }
}
