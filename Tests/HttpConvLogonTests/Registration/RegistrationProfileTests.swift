import HttpConversation
import Testing

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
}
