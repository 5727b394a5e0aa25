// Compiled on Apple's platforms only, and not run by this project's tests, which run on Linux.
#if canImport(AuthenticationServices)
public import AuthenticationServices
public import HttpConvAuthFlows
public import HttpConversation

/// OAuth2 logins in the system's authentication session: the person's own browser, with its cookies and passwords.
///
/// The redirect URI has a custom scheme, or is an https URL of a domain that is associated with the application.
public struct AuthenticationSessionStrategy: OAuth2WebStrategy {
    private let isEphemeral: Bool
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

    /// Creates a strategy that shows logins over the window that the person uses.
    ///
    /// - Parameter isEphemeral: whether to ignore the browser's existing logins
    public init(isEphemeral: Bool = false) {
        self.init(isEphemeral: isEphemeral) {
            #if os(macOS)
            return NSApplication.shared.keyWindow ?? ASPresentationAnchor()
            #else
            return UIWindowScene.onScreen?.keyWindow ?? ASPresentationAnchor()
            #endif
        }
    }

    /// Creates a strategy that shows logins over a window.
    ///
    /// - Parameters:
    ///   - isEphemeral: whether to ignore the browser's existing logins
    ///   - anchor: returns the window to show the login over, called for each login
    public init(isEphemeral: Bool = false, anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) {
        self.isEphemeral = isEphemeral
        self.anchor = anchor
    }

    public func authorize(
        _ request: OAuth2AuthorizationRequest, in context: ConversationContext
    ) async throws -> OAuth2AuthorizationAnswer {
        let endpoint = try request.webEndpoint()
        try context.requireHeldElsewhere(at: endpoint.origin, by: "The system's authentication session")
        let callback: ASWebAuthenticationSession.Callback =
            switch try OAuth2SessionCallback(request.redirectURI) {
            case .scheme(let scheme): .customScheme(scheme)
            case .https(let host, let path): .https(host: host, path: path)
            }
        let session = await AuthenticationSession(anchor: anchor, isEphemeral: isEphemeral)
        let url = try await session.run(try await request.url(), callback: callback)
        return OAuth2AuthorizationAnswer(url: url.absoluteString, redirectURI: request.redirectURI)
    }
}

/// One login.
@MainActor
private final class AuthenticationSession: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
    private let isEphemeral: Bool

    init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor, isEphemeral: Bool) {
        self.anchor = anchor
        self.isEphemeral = isEphemeral
    }

    func run(_ url: URL, callback: ASWebAuthenticationSession.Callback) async throws -> URL {
        let arrival = FirstAnswer<URL>()
        let session = ASWebAuthenticationSession(url: url, callback: callback) { @Sendable url, error in
            let isClosed = (error as? ASWebAuthenticationSessionError)?.code == .canceledLogin
            if let url { arrival.fulfil(url) } else { arrival.fail(OAuth2Error.ofSession(isClosed, error)) }
        }
        session.presentationContextProvider = self
        session.prefersEphemeralWebBrowserSession = isEphemeral
        defer { session.cancel() }
        if !session.start() { arrival.fail(OAuth2Error.ofSession(false, nil)) }
        return try await arrival.value()
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor() }
}
#endif
