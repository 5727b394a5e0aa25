import Foundation
import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConvConcurrency
import HttpConversation
import HttpConversationTesting
import Synchronization

@testable import HttpConvAuthFlows

/// Managers with SAML2 and one-time-code support for a ``SessionServer``, and all objects that a test checks.
struct WebLoginBench {
    let server: SessionServer
    let web: ScriptedWebLoginStrategy
    let transport: ScriptedTransport
    let observer = RecordingObserver()
    let session = HttpSession()
    let multiplexer = UserInteractionMultiplexer()
    let manager: HttpConversationManager

    /// - Parameter script: the person's actions on the pages; by default a login
    init(
        _ server: SessionServer = SessionServer(), saml2: (any SAML2ConfigProvider)? = SessionServer.Provider(),
        otp: (any OTPConfigProvider)? = nil, schemes: CustomURLSchemeManagement = CustomURLSchemeManagement(),
        opener: (any ExternalURLOpener)? = nil, clock: (any Clock<Duration> & Sendable)? = nil,
        script: (@Sendable (ScriptedWebLoginStrategy.Opened) async throws -> WebLoginOutcome)? = nil,
        configure: (inout CommonAuthenticationConfigurator) -> Void = { _ in }
    ) throws {
        self.server = server
        web = ScriptedWebLoginStrategy(script ?? { server.logIn($0.login) })
        transport = server.transport()
        var configurator = CommonAuthenticationConfigurator(session: session)
        configurator.webStrategies = WebStrategies(default: web)
        configurator.multiplexer = multiplexer
        configurator.customURLSchemes = schemes
        configurator.externalURLOpener = opener
        if let saml2 { Self.add(saml2: saml2, to: &configurator) }
        if let otp { Self.add(otp: otp, to: &configurator) }
        configure(&configurator)
        var configuration = HttpConversationManager.Configuration()
        configuration.apply(configurator)
        // A second time must change nothing.
        configuration.apply(configurator)
        configuration.observers.add(observer)
        if let clock { configuration.clock = clock }
        manager = HttpConversationManager(transport: transport, configuration: configuration)
    }

    private static func add(saml2: some SAML2ConfigProvider, to configurator: inout CommonAuthenticationConfigurator) {
        configurator.add(saml2: saml2)
    }

    private static func add(otp: some OTPConfigProvider, to configurator: inout CommonAuthenticationConfigurator) {
        configurator.add(otp: otp)
    }

    /// The key of the server's SAML2 login.
    func saml2Key(_ config: SAML2Config? = nil) throws -> SendableKey? {
        let config = try config ?? SessionServer.config()
        return manager.configuration.redirectFilters.all(of: SAML2Filter.self).first?.login(config)
    }

    /// The key of a one-time-code form.
    func otpKey(_ form: String = "https://sp.example.com/otp") throws -> SendableKey? {
        manager.configuration.redirectFilters.all(of: OTPRedirectFilter.self).first?
            .login(at: try TargetURL(form), for: try TargetURL(SessionServer.base).origin)
    }

    func get(_ path: String = "/a") async throws -> ConversationResponse {
        try await manager.get(SessionServer.base + path)
    }

    /// The error of a GET.
    func failure(_ path: String = "/a") async -> ConversationError? {
        await thrown(ConversationError.self) { try await get(path) }
    }

    /// The outcomes of the logins on web pages.
    var outcomes: [LoginEvent.Outcome] {
        observer.logins.compactMap { if case .webLoginFinished(_, _, _, let outcome) = $0 { outcome } else { nil } }
    }
}

extension RecordingObserver {
    /// The login events.
    var logins: [LoginEvent] {
        events.compactMap { if case .login(let event) = $0.kind { event } else { nil } }
    }
}

extension ConversationError {
    var webLoginCode: WebLoginError.Code? { (underlyingError as? WebLoginError)?.code }
}
