import Foundation
import HttpC
package import HttpCTerminal
import HttpConvLogon
import HttpConversationNIO

extension SharedLogon {
    /// The vault's directory, below the profile's.
    static let folder = "logon"

    /// Creates a profile's logon.
    ///
    /// - Parameters:
    ///   - client: the way to its servers
    ///   - web: the viewer of its logins
    ///   - url: the URL of the command line, where the application registers
    ///   - isFirst: whether the profile may have no state yet, which is then created
    init(
        _ profile: Profile, _ mobile: MobileLogon, _ client: Client, _ web: ProfileWeb, at url: TargetURL? = nil,
        isFirst: Bool = false
    ) throws(CommandFailure) {
        var options = try mobile.options(of: profile, at: url)
        try profile.use(&options.authentication)
        var login = client.configurator
        web.configureScreens(&login)
        let logon = Logon(
            application: mobile.application, directory: try Self.directory(of: profile, isFirst: isFirst),
            transport: NIOTransport(configuration: client.transport), options: options, login: login,
            configuration: client.configuration)
        self.init(profile: profile.name, logon: logon)
    }

    /// Locks a profile's vault, which then needs its passcode again.
    ///
    /// - Returns: whether there is a vault
    package static func lock(profile name: String) throws(CommandFailure) -> Bool {
        guard let state = try StateDirectory.open(profile: name, creates: false), state.contains(folder),
            let key = VaultKeyName.of(state.url.appending(path: folder))
        else { return false }
        systemKeys.forget(key)
        return true
    }

    /// The vault's directory, below a directory of the profile that belongs to the user alone.
    private static func directory(of profile: Profile, isFirst: Bool) throws(CommandFailure) -> URL {
        if let state = try StateDirectory.open(profile: profile.name, creates: isFirst) {
            return state.url.appending(path: folder, directoryHint: .isDirectory)
        }
        // The directory is only looked into, and not created.
        guard let base = Directories(ProcessInfo.processInfo.environment).state else {
            throw CommandFailure(.usage, "There is no place for state: set HOME or XDG_STATE_HOME to an absolute path.")
        }
        return URL(filePath: "\(base)/\(profile.name)/\(folder)", directoryHint: .isDirectory)
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
        _ oauth2: OAuth2Login, _ authentication: inout RegistrationAuthentication
    ) throws(CommandFailure) {
        guard oauth2.grant == .code, oauth2.issuer == nil, oauth2.clientSecret == nil,
            oauth2.clientAuthentication == nil
        else {
            throw CommandFailure(
                .usage,
                "A logon's OAuth2 is a person's, at endpoints that are named: [profiles.\(name).oauth2] needs "
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
