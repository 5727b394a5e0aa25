import Foundation
import HttpC
import HttpConversationNIO
import TestLandscape

/// The environment of scenes: the landscape, a transport that trusts it, and people who know passwords.
struct DemoStage: Sendable {
    let landscape: Landscape
    let transport: NIOTransport

    init(landscape: Landscape) {
        self.landscape = landscape
        var configuration = NIOTransport.Configuration()
        configuration.tls.trustRoots = .pem(Array(landscape.certificates.authorityPEM.utf8))
        transport = NIOTransport(configuration: configuration)
    }

    /// A manager with a separate session.
    func manager(_ timeline: DemoTimeline, _ provider: DemoProvider? = nil) -> HttpConversationManager {
        var configurator = CommonAuthenticationConfigurator()
        if let provider { configurator.add(provider) }
        return manager(timeline, configurator)
    }

    /// A manager with given logins and a separate session.
    func manager(_ timeline: DemoTimeline, _ logins: CommonAuthenticationConfigurator) -> HttpConversationManager {
        var configuration = HttpConversationManager.Configuration()
        configuration.proxies = .none
        configuration.apply(logins)
        configuration.observers.add(timeline)
        return HttpConversationManager(transport: transport, configuration: configuration)
    }

    /// A manager with OAuth2 at an origin of the landscape, and a person who logs in when asked.
    func manager(
        _ timeline: DemoTimeline, _ origin: LandscapeOrigin, client: String,
        _ authentication: OAuth2ClientAuthentication = .none, scopes: [String] = ["read"], grant: DiscoveredGrant,
        usesDPoP: Bool = false
    ) throws -> HttpConversationManager {
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(
            oauth2: try DiscoveredOAuth2ServerSupport(
                issuer: landscape.issuer(origin), clientID: client,
                tokenOrigins: [try TargetURL(landscape.urlString(origin, "/")).origin],
                authentication: authentication, scopes: scopes, grant: grant, usesDPoP: usesDPoP))
        let strategies = WebStrategies()
        strategies.defaultOAuth2Strategy = LoopbackOAuth2Strategy(
            opener: DemoPerson(over: transport, observer: timeline))
        configurator.webStrategies = strategies
        return manager(timeline, configurator)
    }

    /// A manager with SAML2 and one-time codes at the main origin, and a person who answers the questions of their
    /// pages.
    ///
    /// - Parameter variant: the bindings of logins
    func manager(
        _ timeline: DemoTimeline, _ reader: DemoReader, _ provider: DemoProvider? = nil, variant: String? = nil
    ) throws -> HttpConversationManager {
        let service = Service(
            saml2: try SAML2Config(
                finishEndpoint: TargetURL(landscape.finishEndpoint(variant: variant)),
                finishParameter: "finishEndpointParam"))
        var configurator = CommonAuthenticationConfigurator()
        if let provider { configurator.add(provider) }
        configurator.add(saml2: service)
        configurator.add(otp: service)
        configurator.webStrategies = WebStrategies(default: TerminalWebStrategy(prompter: reader))
        return manager(timeline, configurator)
    }

    private struct Service: SAML2ConfigProvider, OTPConfigProvider {
        let saml2: SAML2Config

        func saml2Config(for target: TargetURL) -> SAML2Config? {
            target.origin == saml2.finishEndpoint?.origin ? saml2 : nil
        }

        func otpConfig(for target: TargetURL) -> OTPConfig? { saml2Config(for: target) == nil ? nil : .sap }
    }

    /// Creates a user with a separate seed: a one-time code is valid once, and other scenes need theirs.
    func robot() -> LandscapeUser {
        let seed = String((0..<32).map { _ in "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".randomElement() ?? "A" })
        let robot = LandscapeUser(
            name: "robot-\(landscape.counters.requests)", password: "tin-\(UInt32.random(in: .min ... .max))",
            totpSecret: seed)
        landscape.addUser(robot)
        return robot
    }

    func request(
        _ origin: LandscapeOrigin, _ path: String, method: HTTPRequest.Method = .get, fields: HTTPFields = [:]
    ) throws -> HTTPRequest {
        try HTTPRequest(method, landscape.urlString(origin, path), fields: fields)
    }

    /// A member of a JSON answer, as text.
    static func member(_ name: String, of response: ConversationResponse) throws(DemoFailure) -> String {
        let object = try? JSONSerialization.jsonObject(with: response.data) as? [String: Any]
        guard let value = object?[name] else {
            throw DemoFailure("the answer \(response.status.code) has no \(name)")
        }
        return "\(value)"
    }
}
