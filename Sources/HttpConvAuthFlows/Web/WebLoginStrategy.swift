public import HttpConversation

/// Lets a person log in at an identity provider by SAML2, and returns the service provider's cookies.
public protocol SAML2WebStrategy: Sendable {
    /// Performs one login. Cancelling the task closes what is shown.
    ///
    /// - Parameters:
    ///   - login: what begins the login and what ends it
    ///   - context: of the conversation that needs the login; its session has the cookies to bring along
    /// - Throws: ``WebLoginError``; its code `cancelled` where the person closes the login
    func logIn(saml2 login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome
}

/// Lets a person answer a one-time-code form, with the cookies of the first factor.
public protocol OTPWebStrategy: Sendable {
    /// Performs one login. Cancelling the task closes what is shown.
    ///
    /// - Parameters:
    ///   - login: what begins the login and what ends it
    ///   - context: of the conversation that needs the login; its session has the cookies to bring along
    /// - Throws: ``WebLoginError``; its code `cancelled` where the person closes the form
    func logIn(otp login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome
}

/// A way to show web pages that serves logins of every kind: one method to write.
///
/// A strategy brings the session's cookies (``WebLogin/cookiesToBring(from:)``), opens ``WebLogin/start``, and returns
/// at the first navigation of the main frame for which ``WebLogin/isFinish(_:)`` holds, together with the view's
/// cookies. Nothing of it remains after success, failure or cancellation of the task.
public protocol WebLoginStrategy: SAML2WebStrategy, OAuth2WebStrategy, OTPWebStrategy {
    /// Performs one login.
    ///
    /// - Throws: ``WebLoginError``; its code `cancelled` where the person closes the login
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
        // Nobody listens at a loopback redirect: it is seen before it is sent, and any port will do.
        let redirect = try request.redirectURI.with(port: 49_152)
        let outcome = try await perform(try request.webLogin(redirectURI: redirect), in: context)
        return OAuth2AuthorizationAnswer(url: outcome.finish.value, redirectURI: redirect)
    }
}

extension OAuth2AuthorizationRequest {
    /// The login as any web view can show it. Its cookies stay in the view.
    fileprivate func webLogin(redirectURI: OAuth2RedirectURI) throws -> WebLogin {
        guard let endpoint else {
            throw OAuth2Error(
                .invalidConfiguration, "The authorization endpoint is no web page: use CustomSchemeOAuth2Strategy.")
        }
        let start = try TargetURL(url(redirectURI: redirectURI))
        return WebLogin(.oauth2, start: start, cookieTargets: [endpoint], returnsCookies: false) {
            isAnswer($0, redirectURI: redirectURI)
        }
    }
}
