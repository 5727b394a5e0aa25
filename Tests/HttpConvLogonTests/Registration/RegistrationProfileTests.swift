import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows
@testable import HttpConvLogon

/// The logins of a registration, by its options.
@Suite struct RegistrationProfileTests {
    private func profile(_ change: (inout RegistrationAuthentication) -> Void) throws -> RegistrationProfile {
        var authentication = RegistrationAuthentication()
        change(&authentication)
        let server = DetectedCommunicator(communicator: .mobileServer, root: try TargetURL("https://m.example.com/"))
        var values = RegistrationDefaults()
        values.serverHost = "m.example.com"
        return try RegistrationProfile(
            server, values, authentication, applicationID: "com.example.app", deviceID: nil)
    }

    @Test(arguments: [
        ("/finish", "https://m.example.com/finish"), ("https://sp.example.com/finish", "https://sp.example.com/finish"),
        (nil, "https://m.example.com/SAMLAuthLauncher"),
    ]) func saml2(endpoint: String?, expected: String) throws {
        let config = try profile {
            $0.saml2FinishEndpoint = endpoint
            $0.saml2FinishParameter = endpoint.map { _ in "done" }
        }.saml2
        #expect(config?.finishEndpoint?.absoluteString == expected)
        #expect(config?.finishParameter == (endpoint == nil ? "finishEndpointParam" : "done"))
    }

    @Test(arguments: [
        ([], true, true, true), (["saml2.web.redirect"], true, false, false), (["otp"], false, true, false),
        (["oauth2"], false, false, true), (["http.basic"], false, false, false),
        (["SAML2", "OAuth2"], true, false, true),
    ]) func onlyTheNamedLogins(types: [String], saml2: Bool, otp: Bool, oauth2: Bool) throws {
        let profile = try profile {
            $0.types = types
            $0.oauth2ClientID = "native"
        }
        #expect((profile.saml2 != nil, profile.otp != nil, profile.oauth2 != nil) == (saml2, otp, oauth2))
    }

    /// Behind a relay server or a reverse proxy, only the paths below its own reach the mobile server.
    @Test(arguments: [
        (Communicator.relayServer, "https://m.example.com/ias_relay_server/client/rs_client.dll/farm1/"),
        (.reverseProxy, "https://m.example.com/reverse/"), (.mobileServer, "https://m.example.com/"),
    ]) func defaultsAreBelowTheRoot(communicator: Communicator, root: String) async throws {
        func profile(_ change: (inout RegistrationAuthentication) -> Void) throws -> RegistrationProfile {
            var authentication = RegistrationAuthentication()
            authentication.oauth2ClientID = "native"
            change(&authentication)
            var values = RegistrationDefaults()
            values.serverHost = "m.example.com"
            return try RegistrationProfile(
                DetectedCommunicator(communicator: communicator, root: TargetURL(root)), values, authentication,
                applicationID: "com.example.app", deviceID: nil)
        }
        func endpoints(_ profile: RegistrationProfile) async throws -> [String?] {
            let target = try TargetURL(root + "orders")
            let manager = HttpConversationManager(transport: ScriptedTransport { _, _ in .init(.notFound) })
            let challenge = OAuth2Challenge(
                target: target, response: nil, context: manager.detachedContext(for: target))
            let configuration = try await profile.oauth2?.config(forChallenge: challenge)
            var authorization: String?
            if case .authorizationCode(let grant)? = configuration?.grant {
                authorization = grant.authorizationEndpoint
            }
            return [
                profile.saml2?.finishEndpoint?.absoluteString, authorization,
                configuration?.tokenEndpoint.absoluteString,
            ]
        }
        #expect(
            try await endpoints(profile { _ in }) == [
                "\(root)SAMLAuthLauncher", "\(root)oauth2/api/v1/authorize", "\(root)oauth2/api/v1/token",
            ])
        let configured = try await endpoints(
            profile {
                $0.saml2FinishEndpoint = "/finish"
                $0.oauth2AuthorizationEndpoint = "/authorize"
                $0.oauth2TokenEndpoint = "/token"
            })
        let host = "https://m.example.com"
        #expect(configured == ["\(host)/finish", "\(host)/authorize", "\(host)/token"])
    }
}
