import HttpC
import Testing

@testable import HttpCClient

/// The origins that get a password, for hosts that a test cannot listen on.
@Suite(.timeLimit(.minutes(1))) struct ProviderTests {
    private func trusted(_ url: String, _ provider: some UsernamePasswordProvider) async throws -> Bool {
        let transport = ChallengingTransport()
        try await visit(url, provider, transport)
        return !transport.trusted.isEmpty
    }

    private func visit(
        _ url: String, _ provider: some UsernamePasswordProvider, _ transport: ChallengingTransport
    ) async throws {
        var configuration = HttpConversationManager.Configuration()
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(provider)
        configuration.apply(configurator)
        configuration.redirects.allowsDowngrade = true
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        _ = try await manager.data(for: HTTPRequest(.get, url))
        #expect(!transport.asked.isEmpty)
    }

    /// Security rules S11 and S13.
    @Test(arguments: [
        ("https://a.example/work", "https://a.example/work/x", true),
        ("https://a.example/work", "https://a.example/workshop", false),
        ("https://a.example/work", "https://b.example/work", false),
        ("http://a.example/work", "http://a.example/work", false),
        ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/", true), ("http://[::1]/", "http://[::1]/x", true),
        ("http://localhost/", "http://localhost/", true),
        ("http://127.0.0.1.example/", "http://127.0.0.1.example/", false),
    ])
    func profilePasswordStaysInside(match: String, url: String, expected: Bool) async throws {
        let login = BasicTable(username: "alice", password: .literal(Redacted("secret")))
        let profile = Profile(name: "work", match: [try ProfileMatch(match)], basic: login)
        let provider = ProfileProvider(profile: profile, login: login, outcomes: ChallengeOutcomes())
        #expect(try await trusted(url, provider) == expected)
    }

    /// A realm that was answered before, in this conversation or an earlier one, does not extend the match: Basic
    /// covers a directory and Digest an origin, which are both more than a match (security rule S13).
    @Test(arguments: ["Basic realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", qop=auth"])
    func whatWasAnsweredBeforeStaysInsideToo(_ challenge: String) async throws {
        let login = BasicTable(username: "alice", password: .literal(Redacted("secret")))
        let matches = try ["https://a.example/app", "https://a.example/file"].map { try ProfileMatch($0) }
        let profile = Profile(name: "work", match: matches, basic: login)
        let provider = ProfileProvider(profile: profile, login: login, outcomes: ChallengeOutcomes())
        for outside in ["/admin", "/filex", "/app/../admin"] {
            let transport = ChallengingTransport(challenge, guardsRedirect: true)
            try await visit("https://a.example/app/to?https://a.example\(outside)", provider, transport)
            let place = try TargetURL("https://a.example/").resolving(outside).absoluteString
            #expect(transport.asked.contains(place), "\(transport.asked)")
            #expect(!transport.trusted.contains(place), "\(outside)")
            #expect(!transport.trusted.isEmpty)
        }
    }

    @Test(arguments: [
        ("http://a.example/", "http://a.example/x", false, true),
        ("http://a.example/", "https://a.example/", false, true),
        ("https://a.example/", "http://a.example/", false, false),
        ("https://a.example/", "https://a.example:444/", false, false),
        ("https://a.example/", "https://b.example/", false, false),
        ("https://a.example/", "https://b.example/", true, true),
        // Basic over plain http is refused even then.
        ("http://a.example/", "http://b.example/", true, false),
    ])
    func commandLinePasswordGoesWhereItWasMeantFor(
        named: String, asking: String, trustsRedirects: Bool, expected: Bool
    ) async throws {
        let provider = CommandLineProvider(
            user: UserArgument("alice:secret"), named: [try TargetURL(named).origin], trustsRedirects: trustsRedirects,
            outcomes: ChallengeOutcomes())
        let transport = ChallengingTransport()
        try await visit("\(named)to?\(asking)", provider, transport)
        #expect(transport.asked.contains(asking))
        #expect(transport.trusted.contains(asking) == expected)
    }
}
