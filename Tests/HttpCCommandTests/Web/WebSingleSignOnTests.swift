import Foundation
import TestLandscape
import TestSupport
import Testing

/// Sessions at identity providers that outlive a process, and profiles that share them (security rule S33).
@Suite(.timeLimit(.minutes(1)), .serialized) struct WebSingleSignOnTests {
    /// Two profiles for two service providers at one identity provider. The second one has no answers, so each of its
    /// questions is a failure.
    private struct Pair {
        let sandbox: Sandbox
        let landscape: Landscape
        var first: String { landscape.urlString(.main, "/saml/post-post/x") }
        /// The same server under another name is another service provider.
        var second: String { first.replacing("127.0.0.1", with: "localhost") }

        init(
            _ landscape: Landscape, in sandbox: Sandbox, first: String = "sso = \"both\"",
            second: String = "sso = \"both\"", origins: [String]? = nil
        ) throws {
            self.sandbox = sandbox
            self.landscape = landscape
            let idp = landscape.identityProvider()
            let base = landscape.urlString(.main, "")
            let named = (origins ?? [idp]).map { "\"\($0)\"" }.joined(separator: ", ")
            try sandbox.write(
                """
                [profiles.work]
                match = ["\(base)/saml"]
                answer-origins = ["\(base)", "\(idp)"]
                \(first)
                [profiles.work.saml2]
                finish-endpoint = "/SAMLAuthLauncher"
                finish-parameter = "finishEndpointParam"
                \(WebProfile.answers)
                [profiles.mail]
                match = ["\(base.replacing("127.0.0.1", with: "localhost"))/saml"]
                sso-origins = [\(named)]
                \(second)
                [profiles.mail.saml2]
                finish-endpoint = "/SAMLAuthLauncher"
                finish-parameter = "finishEndpointParam"
                """, to: "config/httpc/config.toml")
        }

        /// Starts the command with no terminal to ask on.
        func start(_ arguments: String...) throws -> RunningCommand {
            try RunningCommand(withoutTerminal: arguments, in: sandbox, environment: WebProfile.environment)
        }

        /// Runs the command, and expects alice's answer.
        func expectAnswer(_ arguments: String..., location: SourceLocation = #_sourceLocation) async throws {
            let outcome = try await sandbox.withoutTerminal(arguments, environment: WebProfile.environment)
            #expect(outcome.text.contains("\"user\":\"alice\""), "\(outcome.errors)", sourceLocation: location)
        }
    }

    private func withPair(
        first: String = "sso = \"both\"", second: String = "sso = \"both\"", origins: [String]? = nil,
        _ body: (Pair) async throws -> Void
    ) async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            try await body(Pair(landscape, in: sandbox, first: first, second: second, origins: origins))
        }
    }

    @Test func aSecondServiceProviderAsksNothing() async throws {
        try await withPair { pair in
            try await pair.expectAnswer(pair.first)
            try await pair.expectAnswer(pair.second)
            #expect(pair.landscape.samlCounters.logins == 1 && pair.landscape.samlCounters.singleSignOns == 1)
            // The sessions of the two service providers are in different vaults, and the shared one in none of them.
            for name in ["work", "mail"] {
                #expect(try await !pair.sandbox.cookies(name).contains { $0.contains("IDP_SESSION") })
            }
        }
    }

    /// Two sessions of one process: each has its own cookies, and they share the login.
    @Test func aSecondServiceProviderInTheSameRunAsksNothing() async throws {
        try await withPair { pair in
            let outcome = try await pair.start(pair.first, pair.second).outcome()
            #expect(outcome.text.components(separatedBy: "\"user\":\"alice\"").count == 3, "\(outcome.errors)")
            #expect(pair.landscape.samlCounters.logins == 1 && pair.landscape.samlCounters.singleSignOns == 1)
        }
    }

    @Test func aSessionThatEndedAsksNothing() async throws {
        try await withPair(first: "") { pair in
            try await pair.expectAnswer(pair.first)
            pair.landscape.expireSAMLSessions()
            // The answer would be refused: it is not needed.
            try await pair.expectAnswer("--answer", "password=wrong", pair.first)
            #expect(pair.landscape.samlCounters.logins == 1 && pair.landscape.samlCounters.singleSignOns == 1)
            // The identity provider's session ends, too.
            pair.landscape.expireSAMLSessions()
            pair.landscape.expireIdentityProviderSessions()
            try await pair.expectAnswer(pair.first)
            #expect(pair.landscape.samlCounters.logins == 2)
        }
    }

    /// By default a profile has its own sessions, also if another one's are in the same place by name.
    @Test(arguments: [("", ""), ("sso = \"both\"", ""), ("", "sso = \"work\""), ("sso = \"none\"", "sso = \"none\"")])
    func profilesShareOnlyByName(first: String, second: String) async throws {
        try await withPair(first: first, second: second) { pair in
            try await pair.expectAnswer(pair.first)
            let outcome = try await pair.start(pair.second).outcome()
            #expect(outcome.status == 67, "\(outcome.errors)")
            #expect(pair.landscape.samlCounters.singleSignOns == 0)
        }
    }

    @Test func noneKeepsNothing() async throws {
        try await withPair(first: "sso = \"none\"") { pair in
            try await pair.expectAnswer(pair.first)
            pair.landscape.expireSAMLSessions()
            try await pair.expectAnswer(pair.first)
            #expect(pair.landscape.samlCounters.logins == 2)
        }
    }

    @Test func anOriginThatIsNotNamedGetsNoSession() async throws {
        try await withPair(origins: ["https://idp.example"]) { pair in
            try await pair.expectAnswer(pair.first)
            #expect(try await pair.start(pair.second).outcome().status == 67)
            #expect(pair.landscape.samlCounters.singleSignOns == 0 && pair.landscape.samlCounters.signOns == 2)
        }
    }

    /// A login that a URL outside the match leads to.
    @Test func aRequestOutsideTheMatchUsesNoSession() async throws {
        try await withPair(first: "") { pair in
            try await pair.expectAnswer(pair.first)
            pair.landscape.expireSAMLSessions()
            let outside = pair.landscape.urlString(.main, "/redirect/302?to=\(pair.first)")
            _ = try await pair.start("--profile", "work", outside).outcome()
            #expect(pair.landscape.samlCounters.singleSignOns == 0)
            try await pair.expectAnswer(pair.first)
        }
    }

    @Test func twoProcessesWithTwoProfilesLogInOnce() async throws {
        try await withPair { pair in
            let gate = pair.landscape.holdIdentityProvider()
            let first = try pair.start(pair.first)
            try await pair.landscape.waitFor(count: 1, path: "/SAMLAuthLauncher")
            let second = try pair.start(pair.second)
            while !second.errorsSoFar.contains("this one waits") { try await Task.sleep(for: .milliseconds(10)) }
            gate.release()
            for command in [first, second] {
                let outcome = await command.outcome()
                #expect(outcome.text.contains("\"user\":\"alice\""), "\(outcome.errors)")
            }
            #expect(pair.landscape.samlCounters.logins == 1 && pair.landscape.samlCounters.singleSignOns == 1)
        }
    }

    @Test func logoutForgetsTheSharedSession() async throws {
        try await withPair { pair in
            try await pair.expectAnswer(pair.first)
            let status = try await pair.start("status", "--profile", "mail").outcome()
            #expect(
                status.text.contains("a session at \(pair.landscape.identityProvider()), shared by"), "\(status.text)")
            let logout = try await pair.start("logout", "--profile", "mail").outcome()
            #expect(logout.status == 0 && logout.errors.contains("is forgotten here, shared by"), "\(logout.errors)")
            #expect(try await pair.start(pair.second).outcome().status == 67)
            #expect(pair.landscape.samlCounters.singleSignOns == 0)
            let again = try await pair.start("logout", "--profile", "mail").outcome()
            #expect(again.errors.contains("there is no session"), "\(again.errors)")
        }
    }

    @Test func logoutTellsTheServiceProvider() async throws {
        try await withPair { pair in
            let base = pair.landscape.urlString(.main, "")
            let text = String(decoding: try #require(pair.sandbox.read("config/httpc/config.toml")), as: UTF8.self)
            for (path, status) in [("/saml/logout", 0), ("/saml/nothing", 67)] as [(String, Int32)] {
                try pair.sandbox.write(
                    text.replacing(
                        "sso = \"both\"\n[profiles.work", with: "logout-url = \"\(base)\(path)\"\n[profiles.work"),
                    to: "config/httpc/config.toml")
                try await pair.expectAnswer(pair.first)
                let logout = try await pair.start("logout", "--profile", "work").outcome()
                #expect(logout.status == status, "\(logout.errors)")
                let told = try #require(pair.landscape.requests(path: path).last)
                #expect(told.fields.contains { $0.value.contains("SAML_SESSION") })
                #expect(logout.errors.contains("is forgotten here"), "\(logout.errors)")
                #expect(try await pair.sandbox.cookies("work").isEmpty)
            }
        }
    }

    @Test(.enabled(if: Browser.isInstalled)) func chromiumAndTerminalShareALogin() async throws {
        try await withPair { pair in
            try await pair.expectAnswer("--headless", pair.first)
            pair.landscape.expireSAMLSessions()
            try await pair.expectAnswer(pair.second)
            #expect(pair.landscape.samlCounters.logins == 1 && pair.landscape.samlCounters.singleSignOns == 1)
            pair.landscape.expireSAMLSessions()
            try await pair.expectAnswer("--headless", pair.first)
            #expect(pair.landscape.samlCounters.logins == 1 && pair.landscape.samlCounters.singleSignOns == 2)
        }
    }
}
