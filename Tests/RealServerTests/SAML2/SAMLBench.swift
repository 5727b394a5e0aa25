import HttpC
import HttpConversationNIO
import Synchronization

/// A manager whose user logs in at a SAML2 site, and the records for tests.
struct SAMLBench {
    /// The page at which logins start and end.
    enum Finish: CaseIterable, Sendable {
        /// A page that the server's configuration makes.
        case page
        /// The service provider's own login page.
        case loginPage
    }

    let site: SAMLSite
    let session = HttpSession()
    let web: GatedWebStrategy
    let manager: HttpConversationManager
    private let passwordsBefore: Int
    private let loginsBefore: Int

    /// - Parameters:
    ///   - user: the user whose answers the terminal strategy gives
    ///   - crowd: the number of requests that are sent before the first answer arrives
    ///   - isReady: called until it returns true, before the login begins
    init(
        _ kind: SAMLSite.Kind, _ finish: Finish = .page, as user: TestUsers.User = TestUsers.alice, crowd: Int = 1,
        when isReady: @escaping @Sendable (SAMLSite) throws -> Bool = { _ in true }
    ) async throws {
        let site = try await SAMLSite.running(kind)
        let transport = CrowdTransport(transport: try await Library.transport(), count: crowd)
        let answers = try FormAnswers(
            ["username": .text(user.name), "password": .text(user.password)],
            origins: [site.identityProvider])
        web = GatedWebStrategy(TerminalWebStrategy(prompter: nil, answers: answers)) { try isReady(site) }
        var configurator = CommonAuthenticationConfigurator(session: session)
        configurator.webStrategies = WebStrategies(default: web)
        configurator.multiplexer = UserInteractionMultiplexer()
        configurator.add(saml2: try Provider(site, finish))
        manager = HttpConversationManager(transport: transport, configurator)
        self.site = site
        passwordsBefore = try site.passwordsSent()
        loginsBefore = try site.logins()
    }

    /// The number of passwords sent to the identity provider since the bench was made.
    var passwordsSent: Int { get throws { try site.passwordsSent() - passwordsBefore } }
    /// The number of successful logins at the identity provider since then.
    var logins: Int { get throws { try site.logins() - loginsBefore } }

    func get(_ path: String = "page") async throws -> ConversationResponse {
        try await manager.data(for: HTTPRequest(.get, site.url(path)))
    }

    /// Holds every answer until a number of requests has been sent.
    private final class CrowdTransport: HTTPTransport {
        private let transport: NIOTransport
        private let missing: Atomic<Int>
        var capabilities: TransportCapabilities { transport.capabilities }

        init(transport: NIOTransport, count: Int) {
            self.transport = transport
            missing = Atomic(count)
        }

        func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
            missing.subtract(1, ordering: .relaxed)
            let response = try await transport.send(request)
            while missing.load(ordering: .relaxed) > 0, (try? await Task.sleep(for: .milliseconds(20))) != nil {}
            return response
        }

        func shutdown() async { await transport.shutdown() }
    }

    /// The service provider of a site.
    private struct Provider: SAML2ConfigProvider {
        private let origin: Origin
        private let config: SAML2Config

        init(_ site: SAMLSite, _ finish: Finish) throws {
            origin = try TargetURL(site.origin).origin
            config = try SAML2Config(
                identifyingHeader: site.kind == .marked ? SAMLSite.identifyingHeader : nil,
                finishEndpoint: TargetURL(finish == .page ? site.finishEndpoint : site.loginEndpoint),
                finishParameter: SAMLSite.finishParameter)
        }

        func saml2Config(for target: TargetURL) -> SAML2Config? { target.origin == origin ? config : nil }
    }
}
