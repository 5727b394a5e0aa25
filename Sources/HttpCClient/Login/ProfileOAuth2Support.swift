import HttpC
import HttpCTerminal
import HttpConvPlatform
import Synchronization

/// OAuth2 as a profile configures it. It claims the profile's match, keeps one set of tokens for it, and fetches
/// secrets when a token request needs them (security rules S11 and S13). As an observer it learns that the server has
/// refused them, and fetches them again for the next request: in a relay they may have been renewed.
final class ProfileOAuth2Support: OAuth2ServerSupport {
    let name: String
    let tokenOrigins: Set<Origin>
    /// A URL that it claims, for work ahead of any request.
    let target: TargetURL

    private let profile: Profile
    private let login: OAuth2Table
    private let presenter: DevicePresenter
    private let isForLogout: Bool
    private let storageURL: TargetURL
    /// The client authentication, if the client authenticates by certificate; other methods need secrets first.
    let authentication: OAuth2ClientAuthentication?
    /// Whether the key of that certificate may need a passphrase or PIN from the terminal.
    private let asksForCertificate: Bool
    private let made = Mutex<(any OAuth2ServerSupport)?>(nil)

    /// - Parameters:
    ///   - certificate: the certificate of the command line or the profile
    ///   - isForLogout: whether it only ends logins, for which the secrets of a person or of assertions are not needed
    init(
        _ profile: Profile, _ login: OAuth2Table, certificate: CertificateFile?, presenter: DevicePresenter,
        isForLogout: Bool = false
    ) throws(CommandFailure) {
        let places = login.tokenOrigins?.map { ProfileMatch(origin: $0) } ?? profile.match
        guard let target = places.first?.url,
            let storage = places.first.flatMap({ ProfileMatch(origin: $0.origin).url })
        else {
            throw CommandFailure(
                .usage, "The profile \"\(profile.name)\" has neither match nor token-origins: add one, or name a URL.")
        }
        self.profile = profile
        self.login = login
        self.presenter = presenter
        self.isForLogout = isForLogout
        self.target = target
        storageURL = storage
        tokenOrigins = Set(places.map(\.origin))
        if login.clientAuthentication?.isByCertificate == true, let certificate {
            if !isForLogout { try certificate.check() }
            let provider = CertificateProvider(certificate) { _ in true }
            authentication = .tlsClientAuth(
                provider, isSelfSigned: login.clientAuthentication == .selfSignedTLS)
            asksForCertificate = provider.isInteractive
        } else {
            authentication = nil
            asksForCertificate = false
        }
        // Another user gets no tokens of this one.
        let user = login.username.map { " \($0)" } ?? ""
        name = "\(login.issuer ?? login.sapServer ?? login.tokenEndpoint ?? "") \(login.clientID)\(user)"
    }

    var requiresBoundTokens: Bool { login.dpop == .required }

    func isSupportedEndpoint(_ url: TargetURL) -> Bool {
        profile.match.contains { $0.matches(url) } || login.tokenOrigins?.contains(url.origin) == true
    }

    /// Whether a URL may get the tokens, as the engine decides for requests: `token-origins` may leave out servers of
    /// the match (security rule S3).
    func givesTokens(to url: TargetURL) -> Bool { isSupportedEndpoint(url) && login.givesTokens(to: url.origin) }

    func storageURL(forRequestURL url: TargetURL) -> TargetURL { storageURL }

    func recognizesChallenge(in challenge: OAuth2Challenge) async throws -> Bool {
        guard login.sapServer == nil else { return SAPOAuth2ServerSupport.isChallenge(challenge) }
        guard challenge.isBearerChallenge else { return false }
        // Answer this before any secret is fetched.
        guard let issuer = login.issuer else { return true }
        return try await DiscoveredOAuth2ServerSupport(
            issuer: issuer, clientID: login.clientID, tokenOrigins: Array(tokenOrigins)
        ).recognizesChallenge(in: challenge)
    }

    func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration {
        if let known = made.withLock({ $0 }) { return try await known.config(forChallenge: challenge) }
        let support = try await ControllingTerminal.$asksNobody.withValue(Self.isBare(challenge)) {
            if Self.isBare(challenge), asksForCertificate {
                throw CommandFailure(
                    .clientCertificateUnusable, "Nobody is asked for the passphrase of the client certificate now.")
            }
            return isForLogout ? try await logoutSupport(challenge) : try await loginSupport()
        }
        made.withLock { $0 = support }
        return try await support.config(forChallenge: challenge)
    }

    /// Whether a server has refused a request without asking for a token. In that case no passphrase is asked for.
    private static func isBare(_ challenge: OAuth2Challenge) -> Bool {
        challenge.response?.status == .unauthorized && challenge.bearer.isEmpty
    }

    /// Drops the secrets after an error that may be due to them.
    private func forgetSecrets(after error: OAuth2Error) {
        switch error.code {
        // Also a password, or an assertion by an old key.
        case .invalidGrant: break
        case .refused where error.serverError == nil || error.refusesClient: break
        default: return
        }
        made.withLock { $0 = nil }
        let sources = [
            login.clientSecret, login.password, login.clientKeyPassphrase, login.assertions.keyPassphrase,
        ]
        for case let source? in sources { SecretReader.forget(source) }
    }

    // MARK: The library's configuration

    private func loginSupport() async throws -> any OAuth2ServerSupport {
        let secret = try await secret()
        return try await support(try await clientAuthentication(secret), secret: secret)
    }

    /// A server without a revocation endpoint gets no client authentication, and no secret is fetched for it.
    private func logoutSupport(_ challenge: OAuth2Challenge) async throws -> any OAuth2ServerSupport {
        let found = try await support(authentication ?? .none, secret: nil).config(forChallenge: challenge)
        var used = OAuth2ClientAuthentication.none
        if found.revocationEndpoint != nil { used = try await clientAuthentication(try await secret()) }
        return try ConfiguredOAuth2ServerSupport(
            name: name, tokenOrigins: Array(tokenOrigins), configuration: found.authenticating(by: used))
    }

    private func support(
        _ authentication: OAuth2ClientAuthentication, secret: String?
    ) async throws -> any OAuth2ServerSupport {
        if let issuer = login.issuer { return try await discovered(issuer, authentication) }
        if let server = login.sapServer { return try login.sapSupport(server, secret: secret, name: name) }
        return try await configured(authentication)
    }

    private func discovered(
        _ issuer: String, _ authentication: OAuth2ClientAuthentication
    ) async throws -> any OAuth2ServerSupport {
        let grant: DiscoveredGrant =
            switch login.grant {
            case _ where isForLogout: .password(Self.nobody)
            case .code: .authorizationCode(redirectURI: login.redirectURI, parameters: login.parameters)
            case .password: .password(try await person())
            case .clientCredentials: .clientCredentials
            case .device: .deviceAuthorization(presenter)
            case .jwtBearer: .jwtBearer(try await assertions.source(about: login.username))
            case .saml2Bearer: .saml2Bearer(try await assertions.source(about: nil))
            case .tokenExchange: .tokenExchange(assertions.exchange())
            }
        return try DiscoveredOAuth2ServerSupport(
            issuer: issuer, clientID: login.clientID, tokenOrigins: Array(tokenOrigins),
            authentication: authentication,
            scopes: login.scopes, resources: login.resources, grant: grant, parameters: login.tokenParameters,
            usesDPoP: login.dpop == .required, name: name)
    }

    private func configured(_ authentication: OAuth2ClientAuthentication) async throws -> any OAuth2ServerSupport {
        let grant: OAuth2Grant =
            switch login.grant {
            case _ where isForLogout: .password(Self.nobody)
            case .code:
                .authorizationCode(
                    try AuthorizationCodeGrant(
                        authorizationEndpoint: login.authorizationEndpoint ?? "", redirectURI: login.redirectURI,
                        pushedRequestEndpoint: login.pushedRequestEndpoint, parameters: login.parameters))
            case .password: .password(try await person())
            case .clientCredentials: .clientCredentials
            case .device:
                .deviceAuthorization(
                    try DeviceAuthorizationGrant(endpoint: login.deviceEndpoint ?? "", presenter: presenter))
            case .jwtBearer: .jwtBearer(try await assertions.source(about: login.username))
            case .saml2Bearer: .saml2Bearer(try await assertions.source(about: nil))
            case .tokenExchange: .tokenExchange(assertions.exchange())
            }
        let configuration = try OAuth2Configuration(
            clientID: login.clientID, authentication: authentication, tokenEndpoint: login.tokenEndpoint ?? "",
            revocationEndpoint: login.revocationEndpoint, endSessionEndpoint: login.endSessionEndpoint,
            scopes: login.scopes, resources: login.resources, grant: grant, parameters: login.tokenParameters,
            usesDPoP: login.dpop == .required)
        return try ConfiguredOAuth2ServerSupport(
            name: name, tokenOrigins: Array(tokenOrigins), configuration: configuration)
    }

    private var assertions: ProfileAssertions { ProfileAssertions(login.assertions, profile: profile.name) }

    /// Stands for the grant where no tokens are obtained.
    private static let nobody = UsernamePassword(username: "", password: "")

    private func clientAuthentication(_ secret: String?) async throws -> OAuth2ClientAuthentication {
        if let authentication { return authentication }
        switch login.clientAuthentication {
        case .privateKey:
            return .privateKeyJWT(
                try await ClientKeyFile(
                    login.clientKey ?? "", id: login.clientKeyID, passphrase: login.clientKeyPassphrase
                ).read())
        case .post: return secret.map { .post(secret: $0) } ?? .none
        default: return secret.map { .basic(secret: $0) } ?? .none
        }
    }

    private func secret() async throws -> String? {
        guard let source = login.clientSecret else { return nil }
        return try await SecretReader.read(source, "client secret of [profiles.\(profile.name).oauth2]")?.value
    }

    private func person() async throws -> UsernamePassword {
        var password: Redacted<String>?
        if let source = login.password {
            password = try await SecretReader.read(source, "password of [profiles.\(profile.name).oauth2]")
        }
        return UsernamePassword(username: login.username ?? "", password: password?.value ?? "")
    }
}

extension ProfileOAuth2Support: ConversationObserver {
    func observe(_ event: ConversationEvent) {
        guard case .conversationEnded(.failure(let failure)) = event.kind,
            let error = failure.underlyingError as? OAuth2Error
        else { return }
        forgetSecrets(after: error)
    }
}
