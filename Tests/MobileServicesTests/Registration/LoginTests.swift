import HTTPTypes
import HttpConvAuthFlows
import HttpConvCertificates
import HttpConvWebStrategies
import HttpConversation
import HttpConversationNIO
import HttpConversationTesting
import MobileServices
import TestLandscape
import Testing

/// The conversation logs in, with any login of the server. The registration has no part in it.
@Suite("Registration behind each login", .timeLimit(.minutes(1))) struct LoginTests {
    enum Login: String, CaseIterable {
        case saml
        case samlAndCode = "saml-otp"
        case basicAndCode = "basic-otp"
        case bearer
        case certificate

        var origin: LandscapeOrigin { self == .certificate ? .mutual : .main }
    }

    private struct Provider: SAML2ConfigProvider, OTPConfigProvider {
        let saml2: SAML2Config
        func saml2Config(for target: TargetURL) async throws -> SAML2Config? { saml2 }
        func otpConfig(for target: TargetURL) async throws -> OTPConfig? { .sap }
    }

    /// A configurator for one of the logins only.
    private static func configurator(
        _ login: Login, _ landscape: Landscape
    ) throws -> CommonAuthenticationConfigurator {
        let secret = String((0..<32).map { _ in "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".randomElement() ?? "A" })
        landscape.addUser("alice", password: "wonderland", totpSecret: secret)
        let origin = try landscape.url(login.origin).targetURL().origin
        var configurator = CommonAuthenticationConfigurator()
        configurator.multiplexer = UserInteractionMultiplexer()
        switch login {
        case .certificate:
            let alice = try landscape.certificates.client("alice")
            let identity = try ClientIdentity.pem(
                certificates: Array(alice.certificatePEM.utf8), key: Array(alice.keyPEM.utf8))
            configurator.add(clientCertificate: StaticIdentityProvider(identity))
            return configurator
        case .bearer:
            return .oauth2(
                issuer: landscape.issuer(), clientID: "native", for: origin,
                grant: .password(UsernamePassword(username: "alice", password: "wonderland")))
        case .basicAndCode:
            configurator.add(StaticCredentialProvider(username: "alice", password: "wonderland"))
        case .saml, .samlAndCode: break
        }
        let provider = Provider(
            saml2: try SAML2Config(
                finishEndpoint: landscape.finishEndpoint(login.origin).targetURL(),
                finishParameter: "finishEndpointParam"))
        if login != .basicAndCode { configurator.add(saml2: provider) }
        configurator.add(otp: provider)
        let answers = try FormAnswers(
            [
                "user": .text("alice"), "password": .text("wonderland"),
                "passcode": .totp(try TOTPSecret(base32: secret)),
            ], origins: [origin, landscape.identityProvider(for: login.origin)])
        configurator.webStrategies = WebStrategies(default: TerminalWebStrategy(prompter: nil, answers: answers))
        return configurator
    }

    private static func withClient(
        _ login: Login, _ body: (RegistrationClient, Landscape) async throws -> Void
    ) async throws {
        try await withLandscape { landscape in
            var configuration = NIOTransport.Configuration()
            configuration.tls.trustRoots = .pem(Array(landscape.certificates.authorityPEM.utf8))
            let transport = NIOTransport(configuration: configuration)
            let manager = HttpConversationManager(
                transport: transport, try configurator(login, landscape))
            let root = landscape.urlString(login.origin, "/mobile/\(login.rawValue)/")
            var client = RegistrationClient(manager, try MobileApplication(at: root, id: MobileBench.applicationID))
            client.properties[.deviceType] = "iPhone"
            try await transport.whileRunning { try await body(client, landscape) }
        }
    }

    @Test(arguments: Login.allCases) func aLife(login: Login) async throws {
        try await Self.withClient(login) { client, landscape in
            let connection = try await client.register()
            #expect(connection.properties[.userName] == "alice")
            #expect(landscape.mobileConnections == [connection.id])
            #expect(landscape.mobileCounters.registrations == 1)
            let backEnd = try await client.manager.get(
                client.application.root.absoluteString + MobileBench.applicationID + "/orders",
                as: MobileBench.BackEnd.self)
            #expect(backEnd.user == "alice")
            #expect(backEnd.isRegistered)
            // After the session ends, the next request logs in again, and nothing is registered twice.
            landscape.expireMobileSessions()
            var changes = ConnectionProperties()
            changes[.custom1] = "one"
            try await client.update(changes)
            #expect(landscape.mobileProperty("CustomCustom1", of: connection.id) == .text("one"))
            // The connection was deleted meanwhile, so it is registered again, once.
            landscape.deleteMobileConnections()
            let again = try await client.connection()
            #expect(again.id != connection.id || landscape.mobileConnections == [connection.id])
            #expect(landscape.mobileCounters.registrations == 2)
            try await client.unregister()
            #expect(landscape.mobileConnections.isEmpty)
        }
    }

    /// A failed login is reported in time.
    @Test(arguments: Login.allCases) func nobodyLogsIn(login: Login) async throws {
        try await Self.withClient(login) { client, landscape in
            let nobody = HttpConversationManager(transport: client.manager.transport)
            let stranger = RegistrationClient(nobody, client.application)
            let error = await failure { try await stranger.register() }
            let expected: MobileServicesError.Code =
                switch login {
                case .bearer, .basicAndCode: .notAuthenticated
                case .certificate: .conversationFailed
                case .saml, .samlAndCode: .notAMobileServer
                }
            #expect(error?.code == expected)
            #expect(stranger.connectionID == nil)
            #expect(landscape.mobileConnections.isEmpty)
        }
    }
}
