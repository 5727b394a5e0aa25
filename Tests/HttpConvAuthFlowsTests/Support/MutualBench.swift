import Foundation
import HttpC
import HttpConversationNIO
import HttpConversationTesting
import Synchronization
import TestLandscape

/// A client of the landscape's secure issuer whose resources are at the origin that demands certificates.
struct MutualBench {
    let landscape: Landscape
    let manager: HttpConversationManager
    let storage: any OAuth2TokenStorage
    let events = RecordingObserver()
    private let supportName: String

    /// - Parameters:
    ///   - certificate: the conversation's, not the client's own
    ///   - resources: the origin that the tokens are for
    init(
        _ landscape: Landscape, client: String, _ authentication: OAuth2ClientAuthentication,
        grant: DiscoveredGrant = .clientCredentials, storage: any OAuth2TokenStorage = InMemoryTokenStorage(),
        certificate: (any ClientCertProvider)? = nil, resources: LandscapeOrigin = .mutual
    ) throws {
        self.init(
            landscape,
            try DiscoveredOAuth2ServerSupport(
                issuer: landscape.issuer(.secure), clientID: client, tokenOrigins: [landscape.urlString(resources)],
                authentication: authentication, grant: grant),
            storage: storage, certificate: certificate)
    }

    init(
        _ landscape: Landscape, _ support: some OAuth2ServerSupport,
        storage: any OAuth2TokenStorage = InMemoryTokenStorage(), certificate: (any ClientCertProvider)? = nil
    ) {
        var configurator = CommonAuthenticationConfigurator()
        configurator.multiplexer = UserInteractionMultiplexer()
        configurator.tokenStorage = storage
        configurator.add(oauth2: support)
        if let certificate { Self.add(certificate, to: &configurator) }
        var configuration = HttpConversationManager.Configuration()
        configuration.apply(configurator)
        configuration.observers.add(events)
        self.landscape = landscape
        self.storage = storage
        supportName = support.name
        manager = HttpConversationManager(transport: Self.transport(landscape), configuration: configuration)
    }

    private static func transport(_ landscape: Landscape) -> NIOTransport {
        var transport = NIOTransport.Configuration()
        transport.tls.trustRoots = .pem(Array(landscape.certificates.authorityPEM.utf8))
        return NIOTransport(configuration: transport)
    }

    /// A manager with a certificate and without OAuth2.
    static func manager(_ landscape: Landscape, showing certificate: CountedIdentity) -> HttpConversationManager {
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(clientCertificate: certificate)
        return HttpConversationManager(transport: transport(landscape), configurator)
    }

    private static func add(
        _ provider: some ClientCertProvider, to configurator: inout CommonAuthenticationConfigurator
    ) { configurator.add(clientCertificate: provider) }

    func get(_ path: String = "/api/data", _ origin: LandscapeOrigin = .mutual) async throws -> ConversationResponse {
        try await manager.get(landscape.urlString(origin, path))
    }

    /// The OAuth2 error of a GET.
    func failure(_ path: String = "/api/data", _ origin: LandscapeOrigin = .mutual) async throws -> OAuth2Error? {
        await thrown(ConversationError.self) { try await get(path, origin) }?.underlyingError as? OAuth2Error
    }

    /// The stored tokens for the resources.
    func stored() async throws -> OAuth2Tokens? {
        let url = try TargetURL(landscape.urlString(.mutual))
        return try await storage.tokens(for: OAuth2TokenKey(storageURL: url, supportName: supportName))
    }
}

/// A certificate that counts how often it was asked for.
final class CountedIdentity: ClientCertProvider {
    let identity: ClientIdentity
    let asked = Mutex(0)

    init(_ certificate: LandscapeClientCertificate) throws {
        identity = try .pem(
            certificates: Array(certificate.certificatePEM.utf8), key: Array(certificate.keyPEM.utf8))
    }

    var isInteractive: Bool { false }
    func serves(_ destination: CredentialDestination) -> Bool { true }

    func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
        asked.withLock { $0 += 1 }
        return .identity(identity)
    }
}
