import Foundation
import HttpC
import LandscapeSupport
import Testing

/// Logins without an end of their own, in the terminal: the resource is tried.
@Suite(.landscape, .serialized, .timeLimit(.minutes(2))) struct WebLoginLandscapeTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    private struct Sites: WebLoginConfigurationProvider, SAML2ConfigProvider {
        var configuration: WebLoginConfiguration?
        var saml2: SAML2Config?
        func webLoginConfiguration(for target: TargetURL) async throws -> WebLoginConfiguration? { configuration }
        func saml2Config(for target: TargetURL) async throws -> SAML2Config? { saml2 }
    }

    private func manager(
        _ landscape: Landscape, password: String = "wonderland", challenges: [WebLoginConfiguration.Challenge]? = nil,
        start: String? = nil, end: WebLoginConfiguration.End = .resource, isSAML: Bool = false
    ) throws -> HttpConversationManager {
        var configurator = CommonAuthenticationConfigurator()
        configurator.multiplexer = UserInteractionMultiplexer()
        let answers = try FormAnswers(
            ["user": .text("alice"), "password": .text(password), "username": .text("alice")],
            origins: [landscape.urlString(), landscape.identityProvider()])
        configurator.webStrategies = .answers(answers)
        if isSAML {
            configurator.add(saml2: Sites(saml2: try SAML2Config()))
        } else {
            let configuration =
                try challenges.map { try WebLoginConfiguration(challenges: $0, start: start, end: end) }
                ?? WebLoginConfiguration(start: start, end: end)
            configurator.add(webLogin: Sites(configuration: configuration))
        }
        return HttpConversationManager(configurator)
    }

    private struct Answer: Decodable {
        struct Body: Decodable { let length: Int }
        let user: String
        let method: String
        let path: String
        let body: Body
    }

    private func answer(_ response: ConversationResponse) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: response.data)
    }

    // MARK: SAML2 without a finish endpoint

    @Test(arguments: ["post-post", "post-artifact", "redirect-post", "redirect-artifact"])
    func saml2(_ variant: String) async throws {
        let manager = try manager(landscape, isSAML: true)
        let url = landscape.urlString(.main, "/saml/\(variant)-noheader/a?x=1")
        #expect(try answer(try await manager.get(url)).user == "alice")
        // The session ends: the next request logs in again.
        landscape.expireSAMLSessions()
        landscape.expireIdentityProviderSessions()
        #expect(try answer(try await manager.get(url)).path == "/saml/\(variant)-noheader/a")
        #expect(landscape.samlCounters.logins == 2)
        #expect(landscape.samlCounters.finishes == 0)
    }

    @Test func aPOSTStartsWithAGETOfItsURL() async throws {
        let manager = try manager(landscape, isSAML: true)
        let url = landscape.urlString(.main, "/saml/post-post-noheader/a")
        let response = try await manager.post(url, .bytes(Array("0123456789".utf8)))
        let answer = try answer(response)
        #expect(answer.method == "POST" && answer.body.length == 10)
        let requests = landscape.requests().filter { $0.path.hasPrefix("/saml/post-post-noheader/a") }
        #expect(requests.filter { $0.method == "POST" }.count == 2)
    }

    @Test func aServiceProviderWithoutASessionEndsWithAnError() async throws {
        let manager = try manager(landscape, isSAML: true)
        let error = await #expect(throws: ConversationError.self) {
            _ = try await manager.get(landscape.urlString(.main, "/saml/post-post-never/a"))
        }
        #expect(error?.underlyingError is WebLoginError)
    }

    // MARK: Other logins

    /// The answer to a HEAD has no page: a GET shows it.
    @Test(arguments: ["site/form", "site/inline", "saml/post-post-noheader"])
    func aHEADLogsInToo(_ path: String) async throws {
        let manager = try manager(landscape, isSAML: path.hasPrefix("saml"))
        let response = try await manager.data(for: HTTPRequest(.head, landscape.urlString(.main, "/\(path)/a")))
        #expect(response.headerFields[.contentType]?.hasPrefix("application/json") == true)
    }

    @Test(arguments: ["form", "inline", "inline-401", "form-keep", "oidc", "oidc-post"])
    func everySite(_ variant: String) async throws {
        let manager = try manager(landscape)
        let url = landscape.urlString(.main, "/site/\(variant)/report?x=1")
        #expect(try answer(try await manager.get(url)).user == "alice")
        #expect(landscape.siteCounters.logins == 1)
        landscape.expireSiteSessions()
        landscape.expireSiteIdentityProviderSessions()
        #expect(try answer(try await manager.get(url)).path == "/site/\(variant)/report")
        #expect(landscape.siteCounters.logins == 2)
        // The cookies of the identity provider stay in the view.
        let names = manager.configuration.session.cookies.snapshot.cookies.map(\.name)
        #expect(!names.contains("SITE_IDP"))
    }

    @Test(arguments: ["form", "oidc"])
    func aPOSTIsSentAgainAfterTheLogin(_ variant: String) async throws {
        let manager = try manager(landscape)
        let url = landscape.urlString(.main, "/site/\(variant)/report")
        let answer = try answer(try await manager.post(url, .bytes(Array("0123456789".utf8))))
        #expect(answer.method == "POST" && answer.body.length == 10)
    }

    @Test func aRedirectAndANavigationEndIt() async throws {
        let login = try TargetURL(landscape.urlString(.main, "/site/form/login"))
        let end = try TargetURL(landscape.urlString(.main, "/site/form/done"))
        let manager = try manager(
            landscape, challenges: [.redirect(to: login)],
            start: landscape.urlString(.main, "/site/form/login?next=/site/form/done?x=1"),
            end: .navigation(end, parameters: ["x=1"]))
        let url = landscape.urlString(.main, "/site/form/report")
        #expect(try answer(try await manager.get(url)).user == "alice")
        // The page at the end is not loaded.
        #expect(landscape.requests().filter { $0.path == "/site/form/done" }.isEmpty)
    }

    @Test(arguments: ["form", "oidc"])
    func manyConversationsShareOneLogin(_ variant: String) async throws {
        let manager = try manager(landscape)
        let gate = landscape.holdSiteLogins()
        let users = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let url = landscape.urlString(.main, "/site/\(variant)/report-\(number)")
                    return try answer(try await manager.get(url)).user
                }
            }
            try await gate.waitForWaiters(1)
            gate.release()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(users == Array(repeating: "alice", count: 200))
        #expect(landscape.siteCounters.logins == 1)
    }

    @Test(arguments: ["form", "oidc"])
    func aWrongPasswordIsSentOnce(_ variant: String) async throws {
        let manager = try manager(landscape, password: "wrong")
        let error = await #expect(throws: ConversationError.self) {
            _ = try await manager.get(landscape.urlString(.main, "/site/\(variant)/report"))
        }
        #expect((error?.underlyingError as? WebLoginError)?.code == .answersRefused)
        #expect(landscape.siteCounters.refusals == 1)
    }

    // MARK: Pages for people who are logged in

    /// Such a page may ask for a password, and renew the session with each answer.
    @Test(arguments: ["form", "inline"], ["settings", "users/new"])
    func aPasswordOnAPageIsNoLogin(_ variant: String, _ page: String) async throws {
        let manager = try manager(landscape)
        let url = landscape.urlString(.main, "/site/\(variant)/\(page)")
        for _ in 0..<3 {
            let response = try await manager.get(url)
            #expect(response.status == .ok && response.text.contains("Log out"))
        }
        #expect(landscape.siteCounters.logins == 1 && landscape.siteCounters.presses == 0)
        #expect(landscape.requests().filter { $0.method == "POST" }.count == 1)
    }

    @Test func noFormOfTheFirstPageAfterALoginIsSent() async throws {
        let manager = try manager(landscape)
        let url = landscape.urlString(.main, "/site/form-keep-landing/report")
        #expect(try answer(try await manager.get(url)).user == "alice")
        #expect(landscape.siteCounters.logins == 1 && landscape.siteCounters.presses == 0)
        #expect(landscape.requests().contains { $0.path == "/site/form-keep-landing/landing" })
    }

    /// The pages of a login have the caller's `User-Agent`.
    @Test(arguments: ["report/1.0", nil])
    func aSessionMayBelongToOneUserAgent(_ agent: String?) async throws {
        let manager = try manager(landscape)
        let url = landscape.urlString(.main, "/site/form-agent/report")
        var request = try HTTPRequest(.get, url)
        request.headerFields[.userAgent] = agent
        #expect(try answer(try await manager.data(for: request)).user == "alice")
        #expect(landscape.siteCounters.logins == 1)
    }

    @Test(arguments: ["form-never", "oidc-never"])
    func aSiteThatKeepsNoSessionEndsWithAnError(_ variant: String) async throws {
        let manager = try manager(landscape)
        let error = await #expect(throws: ConversationError.self) {
            _ = try await manager.get(landscape.urlString(.main, "/site/\(variant)/report"))
        }
        #expect(error?.underlyingError is WebLoginError)
        #expect(landscape.siteCounters.logins == 1)
    }
}
