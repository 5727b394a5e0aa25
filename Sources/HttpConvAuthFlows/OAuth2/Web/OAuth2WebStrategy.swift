public import HttpConversation

/// Lets a person log in at an authorization endpoint and returns the URL to which the server redirected them.
///
/// Each strategy is one way to show a login: a browser window, the system browser with a listener, a form in the
/// terminal. A strategy opens ``OAuth2AuthorizationRequest/url(redirectURI:)``, waits for a main-frame navigation (or a
/// request to its listener) for which ``OAuth2AuthorizationRequest/isAnswer(_:redirectURI:)`` holds, and returns that
/// URL without loading it. Nothing else ends the wait. Cancelling the task closes the display.
public protocol OAuth2WebStrategy: Sendable {
    /// Performs one login.
    ///
    /// - Parameters:
    ///   - request: the page to show, and the check of its answer
    ///   - context: the conversation that needs the login; its session has the cookies for the view
    /// - Throws: ``OAuth2Error/Code/cancelled`` if the person closes the login
    func authorize(
        _ request: OAuth2AuthorizationRequest, in context: ConversationContext
    ) async throws -> OAuth2AuthorizationAnswer
}
