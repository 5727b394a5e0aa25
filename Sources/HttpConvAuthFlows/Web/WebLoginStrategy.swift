public import HttpConversation

/// Lets a person log in at an identity provider by SAML2, and returns the service provider's cookies.
public protocol SAML2WebStrategy: Sendable {
    /// Performs one login. Cancelling the task closes the display.
    ///
    /// - Parameters:
    ///   - login: the start and the end of the login
    ///   - context: the conversation that needs the login; its session has the cookies for the view
    /// - Throws: ``WebLoginError``; with the code `cancelled` if the person closes the login
    func logIn(saml2 login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome
}

/// Lets a person answer a one-time-code form, with the cookies of the first factor.
public protocol OTPWebStrategy: Sendable {
    /// Performs one login. Cancelling the task closes the display.
    ///
    /// - Parameters:
    ///   - login: the start and the end of the login
    ///   - context: the conversation that needs the login; its session has the cookies for the view
    /// - Throws: ``WebLoginError``; with the code `cancelled` if the person closes the form
    func logIn(otp login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome
}

/// A way to show web pages that serves logins of every kind. One method is to be implemented.
///
/// A strategy brings the session's cookies (``WebLogin/cookiesToBring(from:)``), opens ``WebLogin/start``, and returns
/// at the first navigation of the main frame for which ``WebLogin/isFinish(_:)`` holds, together with the view's
/// cookies. It cleans up everything after success, failure or cancellation of the task.
public protocol WebLoginStrategy: SAML2WebStrategy, OAuth2WebStrategy, OTPWebStrategy {
    /// Performs one login.
    ///
    /// - Throws: ``WebLoginError``; with the code `cancelled` if the person closes the login
    func perform(_ login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome
}

extension WebLoginStrategy {
    public func logIn(saml2 login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome {
        try await perform(login, in: context)
    }

    public func logIn(otp login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome {
        try await perform(login, in: context)
    }

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
        guard let endpoint else {
            throw OAuth2Error(
                .invalidConfiguration, "The authorization endpoint is not a web page: use CustomSchemeOAuth2Strategy.")
        }
        let start = try await TargetURL(url(redirectURI: redirectURI))
        return WebLogin(.oauth2, start: start, cookieTargets: [endpoint], returnsCookies: false) {
            isAnswer($0, redirectURI: redirectURI)
        }
    }
}
