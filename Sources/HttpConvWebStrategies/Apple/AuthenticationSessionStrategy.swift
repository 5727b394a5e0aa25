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
        guard let endpoint = request.endpoint else {
            throw OAuth2Error(
                .invalidConfiguration, "The authorization endpoint is not a web page: use CustomSchemeOAuth2Strategy.")
        }
        try context.requireHeldElsewhere(at: endpoint.origin, by: "The system's authentication session")
        let callback = try Self.callback(for: request.redirectURI)
        let session = await AuthenticationSession(anchor: anchor, isEphemeral: isEphemeral)
        let url = try await session.run(try await request.url(), callback: callback)
        return OAuth2AuthorizationAnswer(url: url.absoluteString, redirectURI: request.redirectURI)
    }

    private static func callback(for redirect: OAuth2RedirectURI) throws -> ASWebAuthenticationSession.Callback {
        switch redirect.kind {
        case .customScheme: return .customScheme(redirect.scheme)
        case .web:
            // The system ignores the port here, so another port would lead to another origin.
            guard let target = redirect.target, target.origin.port == 443 else { break }
            return .https(host: target.origin.host, path: String(target.path))
        case .loopback: break
        }
        throw OAuth2Error(
            .invalidConfiguration,
            "The redirect URI \(redirect) cannot end an authentication session: use a custom scheme or https.")
    }
}

/// One login. The task that waits for it keeps it alive.
@MainActor
private final class AuthenticationSession: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
    private let isEphemeral: Bool
    private var session: ASWebAuthenticationSession?
    private var continuation: CheckedContinuation<URL, any Error>?

    init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor, isEphemeral: Bool) {
        self.anchor = anchor
        self.isEphemeral = isEphemeral
    }

    func run(_ url: URL, callback: ASWebAuthenticationSession.Callback) async throws -> URL {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.continuation = continuation
                if Task.isCancelled { return end(.failure(CancellationError())) }
                let session = ASWebAuthenticationSession(url: url, callback: callback) { @Sendable url, error in
                    let result = url.map { Result<URL, any Error>.success($0) } ?? .failure(Self.reason(error))
                    Task { @MainActor in self.end(result) }
                }
                session.presentationContextProvider = self
                session.prefersEphemeralWebBrowserSession = isEphemeral
                self.session = session
                if !session.start() {
                    end(.failure(OAuth2Error(.loginFailed, "The system did not start the authentication session.")))
                }
            }
        } onCancel: {
            Task { @MainActor in
                self.session?.cancel()
                self.end(.failure(CancellationError()))
            }
        }
    }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor() }

    private func end(_ result: Result<URL, any Error>) {
        continuation?.resume(with: result)
        continuation = nil
        session = nil
    }

    private nonisolated static func reason(_ error: (any Error)?) -> any Error {
        if let error = error as? ASWebAuthenticationSessionError, error.code == .canceledLogin {
            return OAuth2Error(.cancelled, "The login was closed.")
        }
        return OAuth2Error(.loginFailed, "The authentication session failed.", underlyingError: error)
    }
}
#endif
