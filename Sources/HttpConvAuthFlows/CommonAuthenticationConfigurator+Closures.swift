public import HttpConversation

/// Logins whose answers a closure gives: a provider in one expression.
///
/// ```swift
/// let manager = HttpConversationManager(
///     .password { challenge in try await dialog.ask(challenge.space) },
///     .saml2 { _ in try SAML2Config(finishEndpoint: "https://m.example.com/SAMLAuthLauncher", finishParameter: "done") })
/// ```
/// An error of a closure ends the conversation, like an error of the provider's method.
extension ManagerConfigurator where Self == CommonAuthenticationConfigurator {
    /// User names and passwords from a closure, such as one that shows a dialog: a ``UsernamePasswordProvider``.
    ///
    /// - Parameters:
    ///   - origins: the servers that may get them, also over https on the same hosts; without any: the server of the
    ///     URL that the application requests, but no server that a redirect or a login leads to
    ///   - isInteractive: whether the closure may ask a person: then its questions wait for the screen
    ///   - answer: answers a challenge, once for all conversations that wait for it. The same wrong password again
    ///     counts as no answer (``UsernamePasswordProvider/credential(for:)``)
    public static func password(
        for origins: any TargetURLConvertible..., isInteractive: Bool = true,
        by answer: @escaping @Sendable (AuthenticationChallenge) async throws -> ProvidedCredential
    ) -> CommonAuthenticationConfigurator {
        .checked(".password(for:isInteractive:by:)") { login, call throws(ConversationError) in
            login.add(
                PasswordClosure(
                    origins: try call.origins(origins, "for"), isInteractive: isInteractive, answer: answer))
        }
    }

    /// Client certificates from a closure: a `ClientCertProvider`.
    ///
    /// - Parameters:
    ///   - origins: as in ``password(for:isInteractive:by:)``
    ///   - isInteractive: whether the closure may ask a person, such as for a passphrase
    ///   - answer: answers a server that asks for a certificate in the TLS handshake
    public static func certificate(
        for origins: any TargetURLConvertible..., isInteractive: Bool = true,
        by answer: @escaping @Sendable (AuthenticationChallenge) async throws -> ProvidedIdentity
    ) -> CommonAuthenticationConfigurator {
        .checked(".certificate(for:isInteractive:by:)") { login, call throws(ConversationError) in
            login.add(
                clientCertificate: CertificateClosure(
                    origins: try call.origins(origins, "for"), isInteractive: isInteractive, answer: answer))
        }
    }

    /// Service providers with SAML2, known to a closure: a ``SAML2ConfigProvider``.
    ///
    /// - Parameter config: the configuration for requests to a URL; nil if there is none. Called often: make it fast
    public static func saml2(
        by config: @escaping @Sendable (TargetURL) async throws -> SAML2Config?
    ) -> CommonAuthenticationConfigurator {
        var login = CommonAuthenticationConfigurator()
        login.add(saml2: SAML2Closure(config: config))
        return login
    }

    /// Servers with other web logins, known to a closure: a ``WebLoginConfigurationProvider``.
    ///
    /// - Parameter configuration: as in ``saml2(by:)``
    public static func webLogin(
        by configuration: @escaping @Sendable (TargetURL) async throws -> WebLoginConfiguration?
    ) -> CommonAuthenticationConfigurator {
        var login = CommonAuthenticationConfigurator()
        login.add(webLogin: WebLoginClosure(configuration: configuration))
        return login
    }

    /// Servers with one-time codes, known to a closure: an ``OTPConfigProvider``.
    ///
    /// - Parameter config: as in ``saml2(by:)``
    public static func oneTimeCode(
        by config: @escaping @Sendable (TargetURL) async throws -> OTPConfig?
    ) -> CommonAuthenticationConfigurator {
        var login = CommonAuthenticationConfigurator()
        login.add(otp: OTPClosure(config: config))
        return login
    }

    /// OAuth2 with a configuration from a closure: an ``OAuth2ServerSupport``.
    ///
    /// - Parameters:
    ///   - name: part of the storage key; such as the client's id
    ///   - origins: the only servers that tokens are sent to; at least one
    ///   - configuration: the configuration that obtains tokens, for a challenge
    public static func oauth2(
        named name: String, for origins: any TargetURLConvertible...,
        by configuration: @escaping @Sendable (OAuth2Challenge) async throws -> OAuth2Configuration
    ) -> CommonAuthenticationConfigurator {
        .checked(".oauth2(named:for:by:)") { login, call throws(ConversationError) in
            login.add(
                oauth2: OAuth2Closure(
                    name: name, tokenOrigins: Set(try call.servers(origins, "for")), configuration: configuration))
        }
    }
}

private struct PasswordClosure: UsernamePasswordProvider {
    let origins: [Origin]
    let isInteractive: Bool
    let answer: @Sendable (AuthenticationChallenge) async throws -> ProvidedCredential

    func serves(_ destination: CredentialDestination) -> Bool { destination.isServed(by: origins) }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        try await answer(challenge)
    }
}

private struct CertificateClosure: ClientCertProvider {
    let origins: [Origin]
    let isInteractive: Bool
    let answer: @Sendable (AuthenticationChallenge) async throws -> ProvidedIdentity

    func serves(_ destination: CredentialDestination) -> Bool { destination.isServed(by: origins) }

    func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
        try await answer(challenge)
    }
}

private struct SAML2Closure: SAML2ConfigProvider {
    let config: @Sendable (TargetURL) async throws -> SAML2Config?

    func saml2Config(for target: TargetURL) async throws -> SAML2Config? { try await config(target) }
}

private struct WebLoginClosure: WebLoginConfigurationProvider {
    let configuration: @Sendable (TargetURL) async throws -> WebLoginConfiguration?

    func webLoginConfiguration(for target: TargetURL) async throws -> WebLoginConfiguration? {
        try await configuration(target)
    }
}

private struct OTPClosure: OTPConfigProvider {
    let config: @Sendable (TargetURL) async throws -> OTPConfig?

    func otpConfig(for target: TargetURL) async throws -> OTPConfig? { try await config(target) }
}

private struct OAuth2Closure: OAuth2ServerSupport {
    let name: String
    let tokenOrigins: Set<Origin>
    let configuration: @Sendable (OAuth2Challenge) async throws -> OAuth2Configuration

    func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration {
        try await configuration(challenge)
    }
}
