import HttpC
import HttpCTerminal
import HttpConvLogon
import HttpConvPlatform
import HttpConversationNIO

extension SharedLogon {
    /// Creates the logon of a profile's account.
    ///
    /// - Parameters:
    ///   - choice: how the account is chosen
    ///   - client: the way to its servers
    ///   - web: the viewer of its logins
    ///   - url: the URL of the command line, where the application registers
    ///   - isFirst: whether the profile may have no state yet, which is then created
    init(
        _ profile: Profile, _ mobile: LogonTable, _ choice: AccountChoice, _ client: Client, _ web: ProfileWeb,
        at url: TargetURL? = nil, isFirst: Bool = false
    ) async throws(CommandFailure) {
        try mobile.requirePlace(ofPasswordOf: profile, at: url)
        var options = try mobile.options(of: profile, at: url)
        try profile.use(&options.authentication)
        var login = client.configurator
        let tickets = KerberosProvider(
            profile, KerberosSettings(), named: [], proxies: client.configuration.proxies.servers, ChallengeOutcomes())
        if let tickets { login.add(negotiate: tickets) }
        web.configureScreens(&login)
        let directory = try ProfileAccounts.directory(of: profile.name, creates: isFirst)
        let accounts = LogonAccounts(directory: directory) { [options, login] directory in
            Logon(
                application: mobile.application, directory: directory,
                transport: NIOTransport(configuration: client.transport), options: options, login: login,
                configuration: client.configuration)
        }
        let account = try await choice.account(in: accounts, of: profile)
        do throws(LogonError) {
            let logon = try await accounts.logon(for: account.id)
            self.init(profile: profile, accounts: accounts, account: account, logon: logon)
        } catch { throw AccountChoice.failure(error, of: profile.name, in: profile.configuration) }
    }
}

extension Profile {
    /// Applies the profile's tables to the login at registration; without any, the server's challenge decides.
    fileprivate func use(_ authentication: inout RegistrationAuthentication) throws(CommandFailure) {
        if let finish = saml2?.finish {
            authentication.saml2FinishEndpoint =
                switch finish.page {
                case .relative(let path): path
                case .absolute(let url): url.absoluteString
                }
            authentication.saml2FinishParameter = finish.parameter
        }
        if let oauth2 { try use(oauth2, &authentication) }
        guard basic == nil, authentication.types.isEmpty else { return }
        // A password is asked for only if no other login is configured.
        authentication.types =
            (saml2 == nil ? [] : ["saml2"]) + (otp == nil ? [] : ["otp"]) + (oauth2 == nil ? [] : ["oauth2"])
            + (certificate == nil ? [] : ["certificate"])
    }

    private func use(
        _ oauth2: OAuth2Table, _ authentication: inout RegistrationAuthentication
    ) throws(CommandFailure) {
        guard oauth2.grant == .code, oauth2.issuer == nil, oauth2.clientSecret == nil,
            oauth2.clientAuthentication == nil
        else {
            throw CommandFailure(
                .usage,
                "A logon gets its tokens by a person's login at named endpoints: [profiles.\(name).oauth2] needs "
                    + "grant = \"code\", authorization-endpoint and token-endpoint or sap-server, and no client secret."
            )
        }
        authentication.oauth2AuthorizationEndpoint = oauth2.authorizationEndpoint
        authentication.oauth2TokenEndpoint = oauth2.tokenEndpoint
        authentication.oauth2ClientID = oauth2.clientID
        authentication.oauth2Scopes = oauth2.scopes.joined(separator: " ")
        authentication.oauth2RedirectURI =
            oauth2.givenRedirectURI ?? (oauth2.sapServer == nil ? oauth2.redirectURI : nil)
    }
}
