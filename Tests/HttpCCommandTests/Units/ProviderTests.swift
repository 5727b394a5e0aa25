import HttpC
import Testing

@testable import HttpCCommand

/// Who gets a password, for hosts that a test cannot listen on.
@Suite(.timeLimit(.minutes(1))) struct ProviderTests {
    private func trusted(_ url: String, _ provider: some UsernamePasswordProvider) async throws -> Bool {
        let transport = ChallengingTransport()
        var configuration = HttpConversationManager.Configuration()
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(provider)
        configuration.apply(configurator)
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        _ = try await manager.data(for: HTTPRequest(.get, url))
        #expect(!transport.asked.isEmpty)
        return !transport.trusted.isEmpty
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
        let login = BasicLogin(username: "alice", password: .literal(Redacted("secret")))
        let profile = Profile(name: "work", match: [try ProfileMatch(match)], basic: login)
        let provider = ProfileProvider(profile: profile, login: login, ledger: LoginLedger())
        #expect(try await trusted(url, provider) == expected)
    }

    @Test(arguments: [
        ("http://a.example/", "http://a.example/x", false, true),
        ("http://a.example/", "https://a.example/", false, true),
        ("https://a.example/", "http://a.example/", false, false),
        ("https://a.example/", "https://a.example:444/", false, false),
        ("https://a.example/", "https://b.example/", false, false),
        ("https://a.example/", "https://b.example/", true, true),
    ])
    func commandLinePasswordGoesWhereItWasMeantFor(
        named: String, asking: String, trustsRedirects: Bool, expected: Bool
    ) async throws {
        let provider = CommandLineProvider(
            user: UserArgument("alice:secret"), named: try TargetURL(named).origin, trustsRedirects: trustsRedirects,
            ledger: LoginLedger())
        #expect(try await trusted(asking, provider) == expected)
    }
}
