import HttpC

/// A manager whose user logs in at a site, with prepared answers, and the records for tests.
struct SiteBench {
    let site: WebSite
    let session = HttpSession()
    let web: GatedWebStrategy
    let manager: HttpConversationManager
    private let loginsBefore: Int

    /// - Parameter isReady: called until it returns true, before a login begins
    init(
        _ kind: WebSite.Kind, when isReady: @escaping @Sendable (WebSite) throws -> Bool = { _ in true }
    ) async throws {
        let site = try await WebSite.running(kind)
        let user = site.user
        let answers = try FormAnswers(
            [site.fields.user: .text(user.name), site.fields.password: .text(user.password)], origins: [site.provider])
        web = GatedWebStrategy(TerminalWebStrategy(prompter: nil, answers: answers)) { try isReady(site) }
        var configurator = CommonAuthenticationConfigurator(session: session)
        configurator.webStrategies = WebStrategies(default: web)
        configurator.multiplexer = UserInteractionMultiplexer()
        let origin = try TargetURL(site.base).origin
        if let prefix = site.loginPrefix {
            configurator.add(
                webLogin: GeneralLogin(
                    origin: origin,
                    configuration: try WebLoginConfiguration(challenges: [.redirect(to: TargetURL(prefix))])))
        } else {
            configurator.add(saml2: ServiceProvider(origin: origin, config: try SAML2Config()))
        }
        manager = HttpConversationManager(transport: try await Library.transport(), configurator)
        self.site = site
        loginsBefore = try site.logins()
    }

    /// The number of successful logins since the bench was made.
    var logins: Int { get throws { try site.logins() - loginsBefore } }

    func get(_ url: String? = nil) async throws -> ConversationResponse {
        try await manager.data(for: HTTPRequest(.get, url ?? site.page))
    }

    /// Ends the session at the site. The session's cookies stay as they are.
    func endSession() async throws { try await site.endSession(of: session.cookies.snapshot.cookies) }

    private struct ServiceProvider: SAML2ConfigProvider {
        let origin: Origin
        let config: SAML2Config

        func saml2Config(for target: TargetURL) -> SAML2Config? { target.origin == origin ? config : nil }
    }

    private struct GeneralLogin: WebLoginConfigurationProvider {
        let origin: Origin
        let configuration: WebLoginConfiguration

        func webLoginConfiguration(for target: TargetURL) -> WebLoginConfiguration? {
            target.origin == origin ? configuration : nil
        }
    }
}
