import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConvWebStrategies
import HttpConversation
import HttpConversationURLSession
import LandscapeSupport
import Testing

/// Conversations over URLSession, in cases that Foundation handles wrongly.
@Suite("Conversations over URLSession", .landscape, .timeLimit(.minutes(1)))
struct ConversationTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    private func manager(_ configurator: CommonAuthenticationConfigurator? = nil) -> HttpConversationManager {
        guard var configurator else { return HttpConversationManager(transport: URLSessionTransport()) }
        configurator.multiplexer = UserInteractionMultiplexer()
        return HttpConversationManager(transport: URLSessionTransport(), configurator)
    }

    @Test func relativeRedirects() async throws {
        let response = try await manager().get(landscape.urlString(.main, "/redirect/chain/5"))
        #expect(response.text == "the end of the chain\n")
        #expect(landscape.count(path: "/redirect/chain/0") == 1)
    }

    /// Foundation would send an empty body.
    @Test(arguments: [307, 308]) func redirectedBodyIsKept(_ status: Int) async throws {
        let response = try await manager().post(
            landscape.urlString(.main, "/redirect/\(status)?to=/upload"), .bytes([UInt8](repeating: 1, count: 9999))
        )
        #expect(response.text.contains("9999"))
    }

    /// Foundation would send it to the other origin.
    @Test func authorizationStaysWithItsOrigin() async throws {
        let path = "/redirect/to/other?path=/echo"
        let response = try await manager().get(
            landscape.urlString(.main, path), fields: [.authorization: "Bearer secret", .cookie: "own=1"])
        #expect(!response.text.contains("secret"))
        #expect(!response.text.contains("own=1"))
        let first = try #require(landscape.requests(path: "/redirect/to/other").first)
        #expect(first.fields.contains { $0.name.lowercased() == "authorization" })
    }

    @Test func cookiesAreTheSessions() async throws {
        let manager = manager()
        for line in ["a=1; Path=/cookies", "b=2; Path=/elsewhere", "c=3; Secure", "d=4; Max-Age=0"] {
            let query = try #require(line.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            _ = try await manager.get(landscape.urlString(.main, "/cookies/set?line=\(query)"))
        }
        let echo = try await manager.get(landscape.urlString(.main, "/cookies/echo")).text
        #expect(echo.contains("\"a\""))
        for name in ["b", "c", "d"] { #expect(!echo.contains("\"\(name)\"")) }
    }

    @Test func cookiesMayBeOff() async throws {
        let manager = manager()
        manager.update { $0.handlesCookies = false }
        _ = try await manager.get(landscape.urlString(.main, "/cookies/set?line=a%3D1"))
        #expect(manager.configuration.session.cookies.snapshot.cookies.isEmpty)
        manager.configuration.session.cookies.insert(
            Cookie(name: "b", value: "2", domain: "127.0.0.1", isHostOnly: true))
        let echo = try await manager.get(landscape.urlString(.main, "/cookies/echo")).text
        #expect(!echo.contains("\"b\""))
    }

    @Test(arguments: ["/basic/realm1/a", "/digest/sha256/a", "/digest/auth-int/a", "/digest/md5-sess/a"])
    func passwords(_ path: String) async throws {
        let manager = manager(.password("alice", "wonderland", for: landscape.urlString()))
        for index in 0..<2 {
            let response = try await manager.post(landscape.urlString(.main, path), .text("body \(index)"))
            #expect(response.status == .ok)
        }
        #expect(landscape.requests(path: path, status: 401).count == 1)
    }

    @Test func tokens() async throws {
        let manager = manager(
            .oauth2(
                issuer: landscape.issuer(), clientID: "native", for: landscape.urlString(), scopes: ["read"],
                grant: .password(UsernamePassword(username: "alice", password: "wonderland"))))
        let url = landscape.urlString(.main, "/api/data")
        #expect(try await manager.get(url).text.contains("alice"))
        landscape.expireAccessTokens()
        #expect(try await manager.get(url).status == .ok)
    }

    @Test(arguments: ["post-post", "redirect-artifact"]) func singleSignOn(_ variant: String) async throws {
        var configurator = CommonAuthenticationConfigurator.saml2(
            finish: landscape.finishEndpoint(variant: variant), parameter: "finishEndpointParam",
            for: landscape.urlString(), header: "com.sap.cloud.security.login")
        let answers = try FormAnswers(
            ["user": .text("alice"), "password": .text("wonderland")],
            origins: [landscape.urlString(), landscape.identityProvider()])
        configurator.webStrategies = WebStrategies(default: TerminalWebStrategy(prompter: nil, answers: answers))
        let manager = manager(configurator)
        for _ in 0..<2 {
            let response = try await manager.get(landscape.urlString(.main, "/saml/\(variant)/a"))
            #expect(response.status == .ok)
            #expect(response.text.contains("alice"))
        }
    }

    @Test func largeUploadAfterPreflight() async throws {
        let manager = manager(.password("alice", "wonderland", for: landscape.urlString()))
        let url = landscape.urlString(.main, "/upload/basic")
        try await manager.preflight(url)
        let left = Counter(40)
        let body = RequestBody.oneShot(
            RequestBodyStream { left.take() ? [UInt8](repeating: 1, count: 64 << 10) : nil })
        let response = try await manager.upload(for: HTTPRequest(.put, url), from: body)
        #expect(response.status == .ok)
        #expect(response.text.contains("\(40 * 64 << 10)"))
    }

    /// Reported when the manager is configured, not during a request.
    @Test func missingCapabilities() async throws {
        struct Pin: ChallengeFilter {
            let handles: Set<AuthenticationMethod>
            let requiredCapabilities: TransportCapabilities
            func answer(_ challenge: AuthenticationChallenge, in context: ConversationContext) -> ChallengeAnswer {
                .notHandled
            }
        }
        for (method, capability) in [
            (AuthenticationMethod.serverTrust, TransportCapabilities.serverTrust),
            (.clientCertificate, .clientCertificates),
        ] {
            var configuration = HttpConversationManager.Configuration()
            configuration.add(Pin(handles: [method], requiredCapabilities: capability), id: "pin")
            let manager = HttpConversationManager(transport: URLSessionTransport(), configuration: configuration)
            let error = #expect(throws: ConversationError.self) { try manager.validate() }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains("\(capability)") == true)
            #expect(error?.message.contains("URLSessionTransport") == true)
        }
    }
}
