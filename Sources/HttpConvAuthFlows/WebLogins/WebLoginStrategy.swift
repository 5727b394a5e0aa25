public import HttpConversation

/// A way to show web pages, for logins of every kind.
///
/// A strategy brings the session's cookies (``WebLogin/cookiesToBring(from:)``), opens ``WebLogin/start``, and returns
/// the view's cookies at the end of the login. It cleans up everything after success, failure or cancellation of the
/// task. The end is one of:
/// - the first navigation of the main frame for which ``WebLogin/isFinish(_:)`` holds;
/// - for a login with a ``WebLogin/trial``: the first page of the main frame at which ``WebLoginTrial/attempt(_:)``
///   returns true. Pages for which ``WebLoginTrial/isCandidate(_:)`` does not hold are not tried. A strategy reports
///   navigations to a ``WebLoginPolicy``, so that the trial knows of forms that were sent.
///
/// It shows OAuth2 logins, too. A strategy that can show nothing else, such as the person's own browser, is an
/// ``OAuth2WebStrategy`` only.
public protocol WebLoginStrategy: OAuth2WebStrategy {
    /// Performs one login. Cancelling the task closes the display.
    ///
    /// - Parameters:
    ///   - login: the start and the end of the login
    ///   - context: the conversation that needs the login; its session has the cookies for the view
    /// - Throws: ``WebLoginError``; with the code `cancelled` if the person closes the login
    func perform(_ login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome
}

/// The name that strategies for SAML2 had before one strategy showed every login.
public typealias SAML2WebStrategy = WebLoginStrategy
/// The name that strategies for one-time codes had before one strategy showed every login.
public typealias OTPWebStrategy = WebLoginStrategy

extension WebLoginStrategy {
    public func authorize(
        _ request: OAuth2AuthorizationRequest, in context: ConversationContext
    ) async throws -> OAuth2AuthorizationAnswer {
        // A loopback redirect needs no listener: it is intercepted before it is sent, so any port will do.
        let redirect = try request.redirectURI.with(port: 49_152)
        let outcome = try await perform(try await request.webLogin(redirectURI: redirect), in: context)
        return OAuth2AuthorizationAnswer(url: outcome.finish.value, redirectURI: redirect)
    }
}

extension OAuth2AuthorizationRequest {
    /// The login in a form for all web views. Its cookies stay in the view.
    fileprivate func webLogin(redirectURI: OAuth2RedirectURI) async throws -> WebLogin {
        let endpoint = try webEndpoint()
        let start = try await TargetURL(url(redirectURI: redirectURI))
        return WebLogin(.oauth2, start: start, cookieTargets: [endpoint], returnsCookies: false) {
            isAnswer($0, redirectURI: redirectURI)
        }
    }
}
