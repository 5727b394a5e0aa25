import HttpConversation

extension RecognizedLogin {
    /// A configuration that logs in where a login was recognised.
    ///
    /// Write a `default` into a `switch` over it: a minor version may add a case.
    public enum Configuration: Hashable, Sendable {
        /// For a ``SAML2ConfigProvider``.
        case saml2(SAML2Config)
        /// For a ``WebLoginConfigurationProvider``.
        case webLogin(WebLoginConfiguration)
        /// For an ``OTPConfigProvider``.
        case oneTimeCode(OTPConfig)
    }

    /// The configuration for the server of ``target``; nil if the answer does not say enough, or if the login needs
    /// more than that, such as a client id.
    ///
    /// Use it only for that server, and only after a person has confirmed ``provider`` (security rule S33): the server
    /// chose where the login goes on.
    public var configuration: Configuration? {
        let start = product == .oauth2Proxy ? product?.start(for: target) : nil
        switch challenge {
        case .saml2?: return (try? SAML2Config(start: start)).map { .saml2($0) }
        case .redirect(let place)?: return Self.webLogin(.redirect(to: place), start)
        case .status(let code, let page)?: return Self.webLogin(.status(code), start ?? page)
        case .passwordForm?: return Self.webLogin(.passwordForm, start)
        case .oneTimeCode?: return .oneTimeCode(.sap)
        case nil: return nil
        }
    }

    private static func webLogin(_ challenge: WebLoginConfiguration.Challenge, _ start: TargetURL?) -> Configuration? {
        (try? WebLoginConfiguration(challenges: [challenge], start: start)).map { .webLogin($0) }
    }
}
