public import HttpConversation

/// A login without a page at SAML2 service providers: SAML's Enhanced Client or Proxy profile (saml-profiles-2.0 §4.2).
///
/// The service provider's request goes to the identity provider of this configuration, never to one that a server
/// names. The answer goes back to the service provider.
public struct ECPConfiguration: Sendable {
    /// The person's login at the identity provider.
    public enum Login: Sendable {
        /// A user name and password, which every request carries by Basic: identity providers often do not ask. Once
        /// they were refused, they are not sent again for ten minutes.
        case password(UsernamePassword)
        /// Tickets, for an identity provider that asks by Negotiate.
        case kerberos(KerberosLogin)
    }

    /// The identity provider's endpoint for ECP.
    public let identityProvider: TargetURL
    /// Further origins that may get the assertion: by default only the one that asks for the login.
    public let consumers: Set<Origin>
    /// Whether ``login`` may ask a person, so that it waits for the screen.
    let isInteractive: Bool
    /// Gets the login; called for each login.
    let login: @Sendable () async throws -> Login

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - identityProvider: the identity provider's endpoint for ECP: https, or on this machine
    ///   - consumers: further servers that may get the assertion
    ///   - isInteractive: whether `login` may ask a person
    ///   - login: gets the login at the identity provider; its errors end the login
    /// - Throws: ``ECPError/Code/invalidConfiguration``
    public init(
        identityProvider: some TargetURLConvertible, consumers: [any TargetURLConvertible] = [],
        isInteractive: Bool = false, login: @escaping @Sendable () async throws -> Login
    ) throws(ECPError) {
        do throws(ConversationError) {
            self.identityProvider = try identityProvider.targetURL()
            self.consumers = try consumers.origins()
        } catch {
            throw ECPError(.invalidConfiguration, "A URL of the ECP login cannot be used: \(error.message)")
        }
        let place = self.identityProvider
        guard place.origin.isSecure else {
            throw ECPError(
                .invalidConfiguration, "The identity provider \(place) is plain http on another machine: use https.")
        }
        guard place.fragment == nil, place.userinfo == nil else {
            throw ECPError(
                .invalidConfiguration,
                "The identity provider's URL has a fragment or user information: leave it out.")
        }
        self.isInteractive = isInteractive
        self.login = login
    }
}

/// Provides the configuration of service providers that are logged in to by ECP.
public protocol ECPConfigurationProvider: Sendable {
    /// The configuration for requests to this URL; nil if there is none. Called for each exchange: make it fast.
    func ecpConfiguration(for target: TargetURL) async throws -> ECPConfiguration?
}
