import Foundation
import HttpC
import HttpConversationNIO
import TestLandscape
import TestSupport
import Testing

/// A landscape whose service provider and identity provider ask for a certificate, and unattended logins.
struct CertificateBench {
    /// Gives alice's certificate to the servers that it is for, and may be interactive.
    struct Provider: ClientCertProvider {
        let identity: ClientIdentity
        /// The origins; nil: the caller's own.
        let origins: [Origin]?
        let isInteractive: Bool

        func serves(_ destination: CredentialDestination) -> Bool {
            origins?.contains(destination.target.origin) ?? destination.isCallersOwn
        }

        func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity { .identity(identity) }
    }

    private struct Logins: SAML2ConfigProvider, OTPConfigProvider {
        let saml2: SAML2Config
        func saml2Config(for target: TargetURL) async throws -> SAML2Config? { saml2 }
        func otpConfig(for target: TargetURL) async throws -> OTPConfig? { .sap }
    }

    let landscape: Landscape
    let origin: LandscapeOrigin
    let serviceProvider: Origin
    let identityProvider: Origin
    let answers: FormAnswers
    let manager: HttpConversationManager

    /// - Parameters:
    ///   - origin: ``LandscapeOrigin/mutual`` or ``LandscapeOrigin/mutualOptional``
    ///   - isForBoth: whether the certificate is also for the identity provider
    init(
        _ landscape: Landscape, _ origin: LandscapeOrigin, isForBoth: Bool, isInteractive: Bool = false,
        strategy: (FormAnswers) -> any WebLoginStrategy
    ) throws {
        self.landscape = landscape
        self.origin = origin
        serviceProvider = try TargetURL(landscape.url(origin)).origin
        identityProvider = try TargetURL(landscape.identityProvider(for: origin)).origin
        let secret = TOTPSecret.unused()
        landscape.addUser("alice", password: "wonderland", totpSecret: secret)
        answers = try FormAnswers(
            [
                "user": .text("alice"), "password": .text("wonderland"),
                "passcode": .totp(try TOTPSecret(base32: secret)),
            ], origins: ["\(serviceProvider)", "\(identityProvider)"])
        let alice = try landscape.certificates.client("alice")
        var configurator = CommonAuthenticationConfigurator()
        configurator.multiplexer = UserInteractionMultiplexer()
        configurator.add(
            clientCertificate: Provider(
                identity: try .pem(certificates: Array(alice.certificatePEM.utf8), key: Array(alice.keyPEM.utf8)),
                origins: isForBoth ? [serviceProvider, identityProvider] : nil, isInteractive: isInteractive))
        configurator.add(StaticCredentialProvider(username: "alice", password: "wonderland"))
        let logins = Logins(
            saml2: try SAML2Config(
                finishEndpoint: TargetURL(landscape.finishEndpoint(origin)), finishParameter: "finishEndpointParam"))
        configurator.add(saml2: logins)
        configurator.add(otp: logins)
        configurator.webStrategies = WebStrategies(default: Named(strategy(answers)))
        var transport = NIOTransport.Configuration()
        transport.tls.trustRoots = .pem(Array(landscape.certificates.authorityPEM.utf8))
        var configuration = HttpConversationManager.Configuration()
        configuration.apply(configurator)
        configuration.clientCertificateTimeout = .seconds(15)
        manager = HttpConversationManager(
            transport: NIOTransport(configuration: transport), configuration: configuration)
    }

    /// A strategy of any type.
    private struct Named: WebLoginStrategy {
        let strategy: any WebLoginStrategy
        init(_ strategy: any WebLoginStrategy) { self.strategy = strategy }
        func perform(_ login: WebLogin, in context: ConversationContext) async throws -> WebLoginOutcome {
            try await strategy.perform(login, in: context)
        }
    }

    func get(_ path: String) async throws -> ConversationResponse {
        try await manager.data(for: HTTPRequest(.get, landscape.urlString(origin, path)))
    }

    /// The subjects of the certificates that a server was shown, one for each request.
    func shown(to server: Origin) -> [String?] {
        landscape.requests().filter { $0.values(of: "host") == ["\(server.authority)"] }.map(\.certificate)
    }
}
