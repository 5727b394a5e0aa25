public import HttpConversation

/// Lets a person log in at an authorization endpoint and returns where the server sent them back to.
///
/// One for each way to show a login: a browser window, the system browser with a listener, a form in the terminal. A
/// strategy opens ``OAuth2AuthorizationRequest/url(redirectURI:)``, waits for a main-frame navigation (or a request to
/// its listener) for which ``OAuth2AuthorizationRequest/isAnswer(_:redirectURI:)`` holds, and returns that URL without
/// loading it. Anything else never ends the wait. Cancelling the task closes what is shown.
public protocol OAuth2WebStrategy: Sendable {
    /// Performs one login.
    ///
    /// - Parameters:
    ///   - request: the page to show, and what ends the login
    ///   - context: of the conversation that needs the login; its session has the cookies to bring along
    /// - Throws: ``OAuth2Error/Code/cancelled`` where the person closes the login
    func authorize(
        _ request: OAuth2AuthorizationRequest, in context: ConversationContext
    ) async throws -> OAuth2AuthorizationAnswer
}
