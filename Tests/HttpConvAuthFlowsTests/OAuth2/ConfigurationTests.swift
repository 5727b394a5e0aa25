import HttpConversation
import Testing

@testable import HttpConvAuthFlows

@Suite("OAuth2: configurations are checked up front")
struct ConfigurationTests {
    private func make(
        id: String = "native", _ client: OAuth2ClientAuthentication = .none, token: String = "https://a.example/token",
        scopes: [String] = [], authorization: String = "https://a.example/authorize",
        redirect: String = "com.example.app:/cb", parameters: [String: String] = [:]
    ) throws(OAuth2Error) -> OAuth2Configuration {
        try OAuth2Configuration(
            clientID: id, authentication: client, tokenEndpoint: token, scopes: scopes,
            grant: .authorizationCode(
                AuthorizationCodeGrant(
                    authorizationEndpoint: authorization, redirectURI: redirect, parameters: parameters)))
    }

    @Test(arguments: [
        "https://a.example/token", "http://127.0.0.1:8080/token", "http://localhost/token", "http://[::1]/t",
    ])
    func secureEndpointsAreTaken(endpoint: String) throws {
        #expect(try make(token: endpoint).tokenEndpoint == TargetURL(endpoint))
    }

    @Test(arguments: ["http://a.example/token", "http://localhost.example/token", "http://10.0.0.1/token"])
    func plainHTTPIsRefused(endpoint: String) {
        #expect(throws: OAuth2Error.self) { try make(token: endpoint) }
        do { _ = try make(token: endpoint) } catch { #expect(error.code == .insecureEndpoint) }
        do { _ = try make(authorization: endpoint) } catch { #expect(error.code == .insecureEndpoint) }
    }

    @Test func nonsenseIsRefused() {
        let attempts: [() throws -> OAuth2Configuration] = [
            { try make(id: "") }, { try make(id: "a\nb") },
            { try make(.basic(secret: "")) },
            { try make(token: "token") },
            { try make(token: "ftp://a.example/") },
            { try make(token: "https://a.example/token#x") },
            { try make(token: "https://u:p@a.example/token") },
            { try make(scopes: ["a b"]) },
            { try make(scopes: [""]) },
            { try make(authorization: "authorize") },
            { try make(authorization: "javascript:alert(1)") },
            { try make(redirect: "/cb") },
            { try make(redirect: "com.example.app:/cb#f") },
            { try make(redirect: "http://a.example/cb") },
            { try make(redirect: "file:///cb") },
            { try make(parameters: ["state": "mine"]) },
            {
                try OAuth2Configuration(
                    clientID: "c", tokenEndpoint: "https://a.example/t", grant: .clientCredentials)
            },
        ]
        for (index, attempt) in attempts.enumerated() {
            #expect("attempt \(index)") {
                _ = try attempt()
            } throws: {
                [.invalidConfiguration, .insecureEndpoint].contains(($0 as? OAuth2Error)?.code)
            }
        }
    }

    @Test func anotherApplicationMayHandleTheLogin() throws {
        #expect(try make(authorization: "com.example.login://authorize").clientID == "native")
    }
}
