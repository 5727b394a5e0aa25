import Foundation
import HttpC
import LandscapeSupport
import Testing

/// Logins on web pages with a person, on a terminal that `script` provides.
@Suite(.landscape, .timeLimit(.minutes(1))) struct WebTerminalTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    /// Logs in as Alice at the identity provider's form; each question names its origin.
    private func logIn(_ command: RunningCommand, at provider: Origin) async throws {
        for (label, text) in [("User name", "alice"), ("Password", "wonderland")] {
            try await command.answer("Asked by \(provider): \(label): ", text)
        }
    }

    @Test func asksWhatThePageAsks() async throws {
        let profile = try WebProfile(landscape, in: sandbox)
        let command = try profile.onTerminal(profile.url("/saml/post-post/x"), then: "stty -a")
        try await logIn(command, at: TargetURL(landscape.identityProvider()).origin)
        let outcome = try await command.outcome(after: "speed")
        #expect(outcome.text.contains("\"user\": \"alice\""), "\(outcome.text)")
        #expect(outcome.text.contains("SAML2 login: a page of \(landscape.identityProvider())"))
        #expect(!outcome.text.contains("wonderland"))
        #expect(outcome.text.contains(" echo "), "echo is back")
        #expect(landscape.samlCounters.logins == 1)
    }

    /// The login leads to an identity provider that the person has not named before.
    @Test(arguments: [true, false]) func asksBeforeItAsksForAnUnnamedOrigin(isTrusted: Bool) async throws {
        let profile = try WebProfile(landscape, in: sandbox, origins: [landscape.urlString(.main, "")])
        let command = try profile.onTerminal(profile.url("/saml/post-post/x"))
        let provider = try TargetURL(landscape.identityProvider()).origin
        try await command.waitForOutput("(yes/no): ")
        #expect(command.outputSoFar.contains("has led to \(provider), which neither you nor"))
        #expect(!command.outputSoFar.contains("Asked by"))
        try command.type(isTrusted ? "yes\n" : "no\n")
        if isTrusted { try await logIn(command, at: provider) }
        let outcome = try await command.outcome(after: "status=")
        #expect(outcome.text.contains(isTrusted ? "status=0" : "status=67"), "\(outcome.text)")
        #expect(outcome.text.contains("\"user\": \"alice\"") == isTrusted)
        #expect(outcome.text.components(separatedBy: "(yes/no)").count == 2, "asked once")
        #expect(landscape.samlCounters.logins == (isTrusted ? 1 : 0) && landscape.samlCounters.loginForms == 1)
    }

    /// The person names the origin on the command line.
    @Test func anAnswerOriginIsNamed() async throws {
        let profile = try WebProfile(landscape, in: sandbox, origins: [landscape.urlString(.main, "")])
        let command = try profile.onTerminal(
            "--answer-origin \(landscape.identityProvider()) \(profile.url("/saml/post-post/x"))")
        try await command.waitForOutput("User name: ")
        #expect(!command.outputSoFar.contains("yes/no"))
        try command.type("\u{3}")
        _ = try await command.outcome(after: "status=130")
    }

    @Test func controlCAtTheQuestionRestoresTheTerminal() async throws {
        let profile = try WebProfile(landscape, in: sandbox)
        let command = try profile.onTerminal(
            "--answer user=alice \(profile.url("/saml/post-post/x"))", then: "stty -a")
        try await command.waitForOutput("Password: ")
        try command.type("\u{3}")
        let outcome = try await command.outcome(after: "speed")
        #expect(outcome.text.contains("status=130"), "\(outcome.text)")
        #expect(outcome.text.contains(" echo ") && !outcome.text.contains("-isig"), "the settings are back")
        #expect(landscape.samlCounters.failedPasswords == 0)
    }

    @Test func controlCBetweenQuestions() async throws {
        let profile = try WebProfile(landscape, in: sandbox)
        let gate = landscape.holdIdentityProvider()
        let command = try RunningCommand([profile.url("/saml/post-post/x")], in: sandbox)
        try await landscape.waitFor(count: 1, path: "/SAMLAuthLauncher")
        command.signal(SIGINT)
        let outcome = await command.outcome()
        #expect(outcome.status == 130, "\(outcome.errors)")
        gate.release()
    }
}
