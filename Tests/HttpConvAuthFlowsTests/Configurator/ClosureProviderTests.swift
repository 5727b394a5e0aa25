import Foundation
import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConversation
import HttpConversationNIO
import HttpConversationTesting
import Synchronization
import TestLandscape
import Testing

@testable import HttpConvAuthFlows

/// Providers that are closures behave like the types that they stand for.
@Suite("Closures as providers", .timeLimit(.minutes(1))) struct ClosureProviderTests {
    private static let other = "https://other.example.com/"

    /// Servers that want a password by Basic; one leads to another.
    private static func basic() -> ScriptedTransport {
        ScriptedTransport { request, _ in
            if request.target.path == "/away" { return .init(.found, [.location: other]) }
            let wanted = "Basic " + Data("alice:wonderland".utf8).base64EncodedString()
            return request.headerFields[.authorization] == wanted
                ? .init(.ok) : .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r"])
        }
    }

    private static let alice = ProvidedCredential.credential(
        UsernamePassword(username: "alice", password: "wonderland"), persistence: .session)

    @Test func passwords() async throws {
        let asked = Mutex<[String]>([])
        let manager = HttpConversationManager(
            transport: Self.basic(),
            .password(isInteractive: false) { challenge in
                asked.withLock { $0.append("\(challenge.target.origin) \(challenge.previousFailureCount)") }
                return Self.alice
            })
        #expect(try await manager.get("https://a.example.com/").status == .ok)
        // Only the caller's own server gets them, and its next request asks nobody.
        #expect(try await manager.get("https://a.example.com/away").status == .unauthorized)
        #expect(asked.withLock { $0 } == ["https://a.example.com 0"])
        #expect(try await manager.get(Self.other).status == .ok)
    }

    @Test func passwordsForNamedServers() async throws {
        let manager = HttpConversationManager(
            transport: Self.basic(), .password(for: Self.other) { _ in Self.alice })
        #expect(try await manager.get("https://a.example.com/away").status == .ok)
        #expect(try await manager.get("https://a.example.com/").status == .unauthorized)
    }

    @Test func otherAnswers() async throws {
        struct Lost: Error {}
        let none = HttpConversationManager(
            transport: Self.basic(), .password { _ in .none }, .password { _ in Self.alice })
        #expect(try await none.get(Self.other).status == .ok, "the next provider is asked")
        let cancels = HttpConversationManager(transport: Self.basic(), .password { _ in .cancel })
        let cancelled = await #expect(throws: ConversationError.self) { try await cancels.get(Self.other) }
        #expect(cancelled?.code == .cancelled)
        let fails = HttpConversationManager(transport: Self.basic(), .password { _ in throw Lost() })
        let failed = await #expect(throws: ConversationError.self) { try await fails.get(Self.other) }
        #expect(failed?.code == .authenticationFailed && failed?.underlyingError is Lost)
    }

    @Test func certificates() async throws {
        try await withLandscape { landscape in
            let made = try landscape.certificates.client("alice")
            let identity = try ClientIdentity.pem(
                certificates: Array(made.certificatePEM.utf8), key: Array(made.keyPEM.utf8))
            let url = landscape.urlString(.mutual, "/certificate")
            var configuration = NIOTransport.Configuration()
            configuration.tls.trustRoots = .pem(Array(landscape.certificates.authorityPEM.utf8))
            let manager = HttpConversationManager(
                transport: NIOTransport(configuration: configuration),
                .certificate(for: url, isInteractive: false) { _ in .identity(identity) })
            #expect(try await manager.get(url).text.contains("alice"))
        }
    }

    private func webLogin(_ login: CommonAuthenticationConfigurator, _ server: SessionServer) -> HttpConversationManager
    {
        var login = login
        login.webStrategies = WebStrategies(default: ScriptedWebLoginStrategy { server.logIn($0.login) })
        login.multiplexer = UserInteractionMultiplexer()
        return HttpConversationManager(transport: server.transport(), login)
    }

    /// An empty identifying header means that there is none: the form is found.
    @Test(arguments: [nil, "", "com.sap.cloud.security.login"]) func saml2(header: String?) async throws {
        let server = SessionServer(header?.isEmpty == false ? .header : .form)
        let manager = webLogin(
            .saml2 { target in
                target.origin.host == "sp.example.com" ? try SessionServer.config(header: header) : nil
            }, server)
        #expect(try await manager.get(SessionServer.base + "/a").text == "item /a")
        #expect(server.now.logins == 1)
        if header == "" {
            #expect(try SessionServer.config(header: header).identifyingHeader == nil)
            #expect(try SAML2Config(identifyingHeader: header).identifyingHeader == nil)
        }
    }

    @Test func oneTimeCodes() async throws {
        let server = SessionServer()
        let manager = webLogin(.oneTimeCode { $0.origin.host == "sp.example.com" ? .sap : nil }, server)
        #expect(try await manager.get(SessionServer.base + "/free/otp-x").text == "item /free/otp-x")
        #expect(server.now.logins == 1)
    }

    @Test func webLogins() async throws {
        let server = SessionServer(.formOn401)
        let finish = try TargetURL(SessionServer.base + "/SAMLAuthLauncher")
        let manager = webLogin(
            .webLogin { _ in
                try WebLoginConfiguration(
                    challenges: [.status(401)], end: .navigation(finish, parameters: ["finishEndpointParam"]))
            }, server)
        #expect(try await manager.get(SessionServer.base + "/a").text == "item /a")
        #expect(server.now.logins == 1)
    }

    @Test func oauth2() async throws {
        let server = TokenServer()
        let strategies = WebStrategies()
        strategies.defaultOAuth2Strategy = ScriptedOAuth2WebStrategy(code: "c0de")
        var login = CommonAuthenticationConfigurator.oauth2(named: "api", for: TokenServer.api) { challenge in
            try OAuth2Configuration(
                clientID: "native", tokenEndpoint: "https://auth.example.com/token", grant: OAuth2Bench.code())
        }
        login.webStrategies = strategies
        let manager = HttpConversationManager(transport: server.transport(), login)
        #expect(try await manager.get(TokenServer.api).status == .ok)
        #expect(server.count("authorization_code") == 1)
    }

    /// Invalid servers are configuration problems, as in the other factories.
    @Test func invalidServers() async throws {
        for login in [
            CommonAuthenticationConfigurator.password(for: "nowhere") { _ in Self.alice },
            .certificate(for: "ftp://a.example") { _ in .none },
            .oauth2(named: "api") { _ in throw CancellationError() },
        ] {
            let transport = Self.basic()
            let manager = HttpConversationManager(transport: transport, login)
            let error = await #expect(throws: ConversationError.self) { try await manager.get(Self.other) }
            #expect(error?.code == .invalidConfiguration && error?.message.hasPrefix("The argument for of ") == true)
            #expect(transport.requests.isEmpty)
        }
    }
}
