import Foundation
import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows
@testable import HttpConversation

/// Logins in one expression: an invalid argument fails the first conversation, and nothing is sent.
@Suite(.timeLimit(.minutes(1))) struct FactoryTests {
    private static let secret = "geheim-canary"

    /// Calls with one wrong argument each, and the texts in its problem.
    private static let wrong: [(CommonAuthenticationConfigurator, String, String)] = [
        (.password("alice", secret, for: "example.com"), ".password(", "for"),
        (.password("alice", secret, for: "https://a.example", "ftp://a.example"), ".password(", "for (number 2)"),
        (.password("alice", secret, for: "https://alice:\(secret)@a.example"), ".password(", "for"),
        (.password("alice", secret, sentAhead: true), ".password(", "sentAhead"),
        (.password("alice", secret, for: "http://a.example", sentAhead: true), ".password(", "sentAhead"),
        (.password("al:ice", secret, for: "https://a.example", sentAhead: true), ".password(", "sentAhead"),
        (.password("alice", secret + "\n", for: "https://a.example", sentAhead: true), ".password(", "sentAhead"),
        (.oauth2(issuer: "login", clientID: "c", for: "https://a.example"), ".oauth2(", "issuer"),
        (.oauth2(issuer: "http://login.example", clientID: "c", for: "https://a.example"), ".oauth2(", "issuer"),
        (.oauth2(issuer: "https://login.example", clientID: "c"), ".oauth2(", "for"),
        (.oauth2(issuer: "https://login.example", clientID: "c", for: "a b"), ".oauth2(", "for"),
        (.oauth2(issuer: "https://login.example", clientID: "", for: "https://a.example"), ".oauth2(", "clientID"),
        (
            .oauth2(issuer: "https://login.example", clientID: "c", for: "https://a.example", scopes: ["a b"]),
            ".oauth2(", "scopes"
        ),
        (
            .oauth2(
                issuer: "https://login.example", clientID: "c", for: "https://a.example", grant: .clientCredentials),
            ".oauth2(", "authentication"
        ),
        (
            .oauth2(
                issuer: "https://login.example", clientID: "c", for: "https://a.example",
                grant: .authorizationCode(redirectURI: "nowhere")), ".oauth2(", "grant"
        ),
        (.saml2(finish: "/finish", parameter: "done"), ".saml2(", "for"),
        (.saml2(finish: "/finish", parameter: "done", for: "sp.example"), ".saml2(", "for"),
        (.saml2(finish: "ftp://sp.example/", parameter: "done", for: "https://sp.example"), ".saml2(", "finish"),
        (.saml2(finish: "/finish", parameter: "", for: "https://sp.example"), ".saml2(", "parameter"),
        (
            .saml2(finish: "/finish", parameter: "done", for: "https://sp.example", header: "no header"), ".saml2(",
            "header"
        ),
    ]

    @Test(arguments: wrong.indices) func whatCannotBeIsSaidBeforeAnythingIsSent(_ index: Int) async throws {
        let (login, call, argument) = Self.wrong[index]
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = HttpConversationManager(transport: transport, login)
        let validated = #expect(throws: ConversationError.self) { try manager.validate() }
        let thrown = await #expect(throws: ConversationError.self) { _ = try await manager.get("https://a.example/") }
        for error in [validated, thrown] {
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.hasPrefix("The argument ") == true)
            let names = error?.message.prefix { $0 != ":" && $0 != "." } ?? ""
            #expect(names.contains(argument), "\(error?.message ?? "")")
            #expect(error?.message.contains(call) == true)
            #expect(error?.message.contains(Self.secret) == false)
        }
        #expect(transport.requests.isEmpty)
        // An incomplete login is dropped.
        #expect(manager.configuration.ids == [FlowID.csrf, FlowID.proxyLogin])
    }

    @Test func urlsOfEverySpellingAreAccepted() throws {
        let url = try #require(URL(string: "https://a.example/path?x=y"))
        let target = try TargetURL("https://b.example")
        for login in [
            CommonAuthenticationConfigurator.password(
                "alice", "pw", for: url, target, target.origin, "https://c.example"),
            .oauth2(issuer: url, clientID: "c", for: target, url), .saml2(finish: url, parameter: "done", for: target),
            .saml2(finish: "finish", parameter: "done", for: url, target), .password("alice", "pw"),
        ] {
            try HttpConversationManager(transport: ScriptedTransport { _, _ in .init(.ok) }, login).validate()
        }
    }

    /// Several logins belong to one person, and none replaces another.
    @Test func severalCombine() async throws {
        let transport = ScriptedTransport { request, _ in
            let (host, sent) = (request.target.origin.host, request.headerFields[.authorization])
            let wanted = ["a.example": "alice:one", "b.example": "bob:two"][host] ?? "-"
            return sent == "Basic " + Data(wanted.utf8).base64EncodedString()
                ? .init(.ok) : .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r"])
        }
        let manager = HttpConversationManager(
            transport: transport, .password("alice", "one", for: "https://a.example"),
            .password("bob", "two", for: "https://b.example"),
            .oauth2(issuer: "https://login.example", clientID: "c", for: "https://api.example"),
            .oauth2(issuer: "https://login.example", clientID: "c", for: "https://api2.example"),
            .saml2(finish: "/finish", parameter: "done", for: "https://sp.example"))
        try manager.validate()
        #expect(try await manager.get("https://a.example/").status == .ok)
        #expect(try await manager.get("https://b.example/").status == .ok)
        #expect(manager.configuration.filters(of: OAuth2Filter.self).count == 2)
        #expect(manager.configuration.filters(of: CSRFFilter.self).count == 1)
        manager.update { $0.remove(id: FlowID.usernamePassword) }
        let left = manager.configuration.filters(of: UsernamePasswordFilter.self)
        #expect(left.filter { !$0.isForProxies }.isEmpty)
    }

    /// Giving a copy another person does not decide the first one's session.
    @Test func aCopyForAnotherPersonLeavesTheFirstUndecided() throws {
        let base = CommonAuthenticationConfigurator.password("alice", "pw", for: "https://a.example")
        var copy = base
        copy.session = HttpSession()
        let session = HttpSession()
        var configuration = HttpConversationManager.Configuration(session: session)
        configuration.apply(base)
        try configuration.validate(for: ScriptedTransport { _, _ in .init(.ok) })
        #expect(base.session === session)
        #expect(copy.session !== session)
    }

    @Test func servicesOfAllConfiguratorsHaveTokens() throws {
        var (one, two) = (CommonAuthenticationConfigurator(), CommonAuthenticationConfigurator())
        one.add(csrf: try CSRFService(root: "https://a.example/s/"))
        two.add(csrf: try CSRFService(root: try #require(URL(string: "https://b.example/s/"))))
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = HttpConversationManager(transport: transport, one, two)
        manager.update { $0.apply(one) }
        let services = manager.configuration.filters(of: CSRFFilter.self).flatMap(\.services)
        #expect(Set(services.map(\.root.origin.host)) == ["a.example", "b.example"])
        #expect(services.count == 2)
    }

    @Test func aPasswordGoesToItsServersOnly() async throws {
        let transport = ScriptedTransport { request, _ in
            if request.target.path == "/to", let location = request.target.query {
                return .init(.found, [.location: String(location)])
            }
            return request.headerFields[.authorization] == nil
                ? .init(.unauthorized, [.wwwAuthenticate: "Basic realm=r"]) : .init(.ok)
        }
        let manager = HttpConversationManager(
            transport: transport, .password("alice", "pw", for: "https://a.example/x"))
        #expect(try await manager.get("https://a.example/y").status == .ok)
        #expect(try await manager.get("https://b.example/y").status == .unauthorized)
        #expect(try await manager.get("https://a.example/to?https://b.example/y").status == .unauthorized)
        let others = transport.requests.filter { $0.target.origin.host == "b.example" }
        #expect(others.count == 2 && others.allSatisfy { !$0.headerFields.contains(.authorization) })
    }
}
