public import HttpConversation

/// Logins in one expression, for a manager's initialiser.
///
/// They do not throw: an invalid argument, such as text that is not a URL, becomes a configuration problem. The first
/// conversation and `HttpConversationManager.validate()` throw it as `ConversationError.Code.invalidConfiguration` with
/// the name of the argument. Only the origin of a server's URL counts.
extension ManagerConfigurator where Self == CommonAuthenticationConfigurator {
    /// A user name and password, for Basic and Digest.
    ///
    /// ```swift
    /// let manager = HttpConversationManager(.password("alice", secret, for: "https://example.com"))
    /// ```
    /// - Parameters:
    ///   - origins: the servers that may get them, also over https on the same hosts; without any: the server of the
    ///     URL that the application requests, also over https on its host, but no server that a redirect or a login
    ///     leads to
    ///   - sentAhead: whether every request to exactly these origins carries them by Basic, for servers that never ask:
    ///     over https, or to this machine. Never to an origin that has offered Digest. Once it was refused (401), it is
    ///     not sent ahead again for ten minutes
    ///   - persistence: how long they are kept once they were accepted
    public static func password(
        _ username: String, _ password: String, for origins: any TargetURLConvertible..., sentAhead: Bool = false,
        persistence: CredentialPersistence = .session
    ) -> CommonAuthenticationConfigurator {
        .checked(".password(_:_:for:sentAhead:persistence:)") { login, call throws(ConversationError) in
            let origins = try call.origins(origins, "for")
            if sentAhead {
                guard !origins.isEmpty else {
                    throw call.problem("sentAhead", "names no server to send the password to: give one with `for`.")
                }
                for origin in origins {
                    try call.check("sentAhead") { () throws(ConversationError) in
                        login.add(
                            try SentAheadPassword(
                                UsernamePassword(username: username, password: password), for: origin))
                    }
                }
            }
            login.add(
                StaticCredentialProvider(
                    username: username, password: password, origins: origins, persistence: persistence))
        }
    }

    /// A user name and password for a proxy that asks for them, by Basic and Digest; no server gets them.
    ///
    /// ```swift
    /// let manager = HttpConversationManager(
    ///     .password("alice", secret, for: "https://example.com"),
    ///     .password("office", other, forProxy: "http://proxy.example.com:3128"))
    /// ```
    /// `HttpConversationManager.Configuration.proxies` decides which requests go through the proxy. A proxy that is
    /// configured there with its login needs no provider.
    ///
    /// - Parameters:
    ///   - proxy: the proxy, such as `http://proxy.example.com:3128`; https if it is reached by TLS
    ///   - persistence: how long they are kept once they were accepted
    public static func password(
        _ username: String, _ password: String, forProxy proxy: some TargetURLConvertible,
        persistence: CredentialPersistence = .session
    ) -> CommonAuthenticationConfigurator {
        .checked(".password(_:_:forProxy:persistence:)") { login, call throws(ConversationError) in
            login.add(
                StaticCredentialProvider(
                    username: username, password: password, origins: [],
                    proxies: Set(try call.servers([proxy], "forProxy")), persistence: persistence))
        }
    }

    /// Kerberos tickets for servers that ask for them by Negotiate (RFC 4559). Without a ticket, another login may
    /// answer.
    ///
    /// ```swift
    /// let manager = HttpConversationManager(.negotiate(for: "https://intra.example.com"))
    /// ```
    /// - Parameters:
    ///   - origins: the only servers that get tickets, also over https on the same hosts; at least one
    ///   - login: the source of tickets; by default the user's cache, as `kinit` fills it
    ///   - allowsPlainHTTP: whether servers on other machines get tickets over plain http, where others can use them
    public static func negotiate(
        for origins: any TargetURLConvertible..., login: KerberosLogin = KerberosLogin(), allowsPlainHTTP: Bool = false
    ) -> CommonAuthenticationConfigurator {
        .checked(".negotiate(for:login:allowsPlainHTTP:)") { configurator, call throws(ConversationError) in
            configurator.add(
                negotiate: NamedNegotiateProvider(
                    kerberos: login, origins: Array(try call.servers(origins, "for")),
                    allowsPlainHTTP: allowsPlainHTTP))
        }
    }

    /// Kerberos tickets for a proxy that asks for them by Negotiate; no server gets them.
    ///
    /// - Parameters:
    ///   - proxy: the proxy, such as `http://proxy.example.com:3128`; https if it is reached by TLS
    ///   - login: the source of tickets; by default the user's cache
    public static func negotiate(
        forProxy proxy: some TargetURLConvertible, login: KerberosLogin = KerberosLogin()
    ) -> CommonAuthenticationConfigurator {
        .checked(".negotiate(forProxy:login:)") { configurator, call throws(ConversationError) in
            configurator.add(
                negotiate: NamedNegotiateProvider(
                    kerberos: login, proxies: Set(try call.servers([proxy], "forProxy"))))
        }
    }

    /// OAuth2 with a server whose issuer publishes its endpoints (RFC 8414, OpenID Connect Discovery), by an
    /// authorization code unless another grant is given.
    ///
    /// ```swift
    /// let manager = HttpConversationManager(
    ///     .oauth2(issuer: "https://login.example.com", clientID: "native", for: "https://api.example.com"))
    /// ```
    /// - Parameters:
    ///   - issuer: the issuer exactly as the server's metadata names it (security rule S12)
    ///   - origins: the only servers that tokens are sent to; at least one
    ///   - authentication: how the client authenticates
    ///   - scopes: the scopes to request
    ///   - resources: the resources that the tokens are for (RFC 8707)
    ///   - grant: the grant for the first tokens
    ///   - usesDPoP: whether tokens are bound to a key (RFC 9449); unbound tokens are refused
    public static func oauth2(
        issuer: some TargetURLConvertible, clientID: String, for origins: any TargetURLConvertible...,
        authentication: OAuth2ClientAuthentication = .none, scopes: [String] = [], resources: [String] = [],
        grant: DiscoveredGrant = .authorizationCode(), usesDPoP: Bool = false
    ) -> CommonAuthenticationConfigurator {
        let name = ".oauth2(issuer:clientID:for:authentication:scopes:resources:grant:usesDPoP:)"
        return .checked(name) { login, call throws(ConversationError) in
            let origins = try call.servers(origins, "for")
            try call.check("issuer") { () throws(OAuth2Error) in _ = try SecureEndpoint.parse(issuer, "issuer") }
            try call.check("clientID") { () throws(OAuth2Error) in try OAuth2Configuration.check(clientID: clientID) }
            try call.check("scopes") { () throws(OAuth2Error) in try OAuth2Configuration.check(scopes: scopes) }
            try call.check("resources") { () throws(OAuth2Error) in
                try OAuth2Configuration.check(resources: resources)
            }
            try call.check("grant") { () throws(OAuth2Error) in try grant.check() }
            try call.check("authentication") { () throws(OAuth2Error) in
                login.add(
                    oauth2: try DiscoveredOAuth2ServerSupport(
                        issuer: issuer, clientID: clientID, tokenOrigins: Array(origins),
                        authentication: authentication, scopes: scopes, resources: resources, grant: grant,
                        usesDPoP: usesDPoP))
            }
        }
    }

    /// SAML2 Web SSO at service providers, most of which have no page for the end of a login: it ends when the resource
    /// answers without a challenge.
    ///
    /// ```swift
    /// let manager = HttpConversationManager(.saml2(for: "https://sp.example.com"))
    /// ```
    /// - Parameters:
    ///   - origins: the service providers; at least one
    ///   - header: a response field that marks a challenge, with any value, besides forms and redirects; nil: SAP's
    ///   - start: the page that a login opens first: absolute, or a path at each of the origins; nil: the URL that was
    ///     challenged
    public static func saml2(
        for origins: any TargetURLConvertible..., header: String? = nil, start: (any TargetURLConvertible)? = nil
    ) -> CommonAuthenticationConfigurator {
        .checked(".saml2(for:header:start:)") { login, call throws(ConversationError) in
            var configs: [Origin: SAML2Config] = [:]
            for origin in try call.servers(origins, "for") {
                let start = try call.start(start, at: origin)
                configs[origin] = try call.check("header or start") { () throws(WebLoginError) in
                    try SAML2Config(identifyingHeader: header, start: start)
                }
            }
            login.add(saml2: ServiceProviders(configs: configs))
        }
    }

    /// SAML2 Web SSO at service providers with a page for the end of a login, as SAP's have it.
    ///
    /// ```swift
    /// let manager = HttpConversationManager(
    ///     .saml2(finish: "/SAMLAuthLauncher", parameter: "finishEndpointParam", for: "https://sp.example.com"))
    /// ```
    /// - Parameters:
    ///   - finish: the page that a login opens first and ends with: absolute, or a path at each of the origins
    ///   - parameter: the query parameter of that page's URL that marks the end of the login, with any value
    ///   - origins: the service providers; at least one
    ///   - header: a response field that marks a challenge, with any value, besides forms and redirects; nil: SAP's
    public static func saml2(
        finish: some TargetURLConvertible, parameter: String, for origins: any TargetURLConvertible...,
        header: String? = nil
    ) -> CommonAuthenticationConfigurator {
        .checked(".saml2(finish:parameter:for:header:)") { login, call throws(ConversationError) in
            var configs: [Origin: SAML2Config] = [:]
            for origin in try call.servers(origins, "for") {
                let page = try call.check("finish") { () throws(ConversationError) in
                    try origin.targetURL().resolving(finish.urlText)
                }
                configs[origin] = try call.check("finish, parameter or header") { () throws(WebLoginError) in
                    try SAML2Config(identifyingHeader: header, finishEndpoint: page, finishParameter: parameter)
                }
            }
            login.add(saml2: ServiceProviders(configs: configs))
        }
    }

    /// SAML2 without a page, by ECP, at service providers and an identity provider that offer it.
    ///
    /// ```swift
    /// let manager = HttpConversationManager(
    ///     .ecp(for: "https://sp.example.com", identityProvider: "https://idp.example.com/idp/profile/SAML2/SOAP/ECP",
    ///         login: .password(UsernamePassword(username: "alice", password: secret))))
    /// ```
    /// - Parameters:
    ///   - origins: the service providers, which are offered ECP and may get the assertion; at least one
    ///   - identityProvider: the identity provider's endpoint for ECP
    ///   - login: the login there
    public static func ecp(
        for origins: any TargetURLConvertible..., identityProvider: some TargetURLConvertible,
        login: ECPConfiguration.Login
    ) -> CommonAuthenticationConfigurator {
        .checked(".ecp(for:identityProvider:login:)") { configurator, call throws(ConversationError) in
            let origins = try call.servers(origins, "for")
            let configuration = try call.check("identityProvider") { () throws(ECPError) in
                try ECPConfiguration(identityProvider: identityProvider, consumers: origins) { login }
            }
            configurator.add(ecp: ECPServers(origins: Set(origins), configuration: configuration))
        }
    }

    /// Any other login on web pages that ends in cookies: OpenID Connect at a relying party, a login form, a gateway.
    ///
    /// ```swift
    /// let manager = HttpConversationManager(.webLogin(for: "https://wiki.example.com"))
    /// ```
    /// - Parameters:
    ///   - origins: the servers that want the login; at least one
    ///   - challenges: the signs that they want it
    ///   - start: the page that a login opens first: absolute, or a path at each of the origins; nil: the URL that was
    ///     challenged
    ///   - end: the end of the login
    public static func webLogin(
        for origins: any TargetURLConvertible...,
        challenges: [WebLoginConfiguration.Challenge] = [.loginRequest, .passwordForm],
        start: (any TargetURLConvertible)? = nil, end: WebLoginConfiguration.End = .resource
    ) -> CommonAuthenticationConfigurator {
        .checked(".webLogin(for:challenges:start:end:)") { login, call throws(ConversationError) in
            var configurations: [Origin: WebLoginConfiguration] = [:]
            for origin in try call.servers(origins, "for") {
                let start = try call.start(start, at: origin)
                configurations[origin] = try call.check("challenges or start") { () throws(WebLoginError) in
                    try WebLoginConfiguration(challenges: challenges, start: start, end: end)
                }
            }
            login.add(webLogin: Sites(configurations: configurations))
        }
    }

    /// A one-time code as the second factor, after any login.
    ///
    /// ```swift
    /// let login = CommonAuthenticationConfigurator.password("alice", secret, for: server)
    /// let manager = HttpConversationManager(login, .oneTimeCode(for: server))
    /// ```
    /// - Parameters:
    ///   - origins: the servers that ask for the code; at least one
    ///   - config: how they ask; by default as SAP's mobile servers
    public static func oneTimeCode(
        for origins: any TargetURLConvertible..., config: OTPConfig = .sap
    ) -> CommonAuthenticationConfigurator {
        .checked(".oneTimeCode(for:config:)") { login, call throws(ConversationError) in
            login.add(otp: CodeServers(origins: Set(try call.servers(origins, "for")), config: config))
        }
    }

    /// A client certificate, for servers that ask for one in the TLS handshake.
    ///
    /// ```swift
    /// let manager = HttpConversationManager(.certificate(IdentityFileProvider(file: file, for: [origin])))
    /// ```
    /// - Parameter provider: gives the certificate, and says for which servers it is
    public static func certificate(_ provider: some ClientCertProvider) -> CommonAuthenticationConfigurator {
        var login = CommonAuthenticationConfigurator()
        login.add(clientCertificate: provider)
        return login
    }
}

/// Sites with web logins by their origins.
private struct Sites: WebLoginConfigurationProvider {
    let configurations: [Origin: WebLoginConfiguration]

    func webLoginConfiguration(for target: TargetURL) -> WebLoginConfiguration? { configurations[target.origin] }
}

/// Service providers that are logged in to by ECP.
private struct ECPServers: ECPConfigurationProvider {
    let origins: Set<Origin>
    let configuration: ECPConfiguration

    func ecpConfiguration(for target: TargetURL) -> ECPConfiguration? {
        origins.contains(target.origin) ? configuration : nil
    }
}

/// Servers that ask for one-time codes.
private struct CodeServers: OTPConfigProvider {
    let origins: Set<Origin>
    let config: OTPConfig

    func otpConfig(for target: TargetURL) -> OTPConfig? { origins.contains(target.origin) ? config : nil }
}

/// Service providers by their origins.
private struct ServiceProviders: SAML2ConfigProvider {
    let configs: [Origin: SAML2Config]

    func saml2Config(for target: TargetURL) -> SAML2Config? { configs[target.origin] }
}

extension CommonAuthenticationConfigurator {
    /// A configurator, or an empty one that reports invalid arguments.
    static func checked(
        _ name: String,
        _ fill: (inout CommonAuthenticationConfigurator, FactoryCall) throws(ConversationError) -> Void
    ) -> CommonAuthenticationConfigurator {
        var login = CommonAuthenticationConfigurator()
        do throws(ConversationError) { try fill(&login, FactoryCall(name: name)) } catch {
            // Drop an incomplete login.
            login = CommonAuthenticationConfigurator()
            login.report(error)
        }
        return login
    }
}
