import Foundation
import HttpC
import TestLandscape
import Testing

/// Logins on web pages with a person, on a terminal that `script` provides.
@Suite(.timeLimit(.minutes(1))) struct WebTerminalTests {
    /// Logs in as Alice at the identity provider's form; each question names its origin.
    private func logIn(_ command: RunningCommand, _ input: Pipe, at provider: Origin) async throws {
        for (label, text) in [("User name", "alice"), ("Password", "wonderland")] {
            try await command.waitForOutput("Asked by \(provider): \(label): ")
            try input.fileHandleForWriting.write(contentsOf: Data("\(text)\n".utf8))
        }
    }

    @Test func asksWhatThePageAsks() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let profile = try WebProfile(landscape, in: sandbox)
            let (command, input) = try profile.onTerminal(profile.url("/saml/post-post/x"), then: "stty -a")
            try await logIn(command, input, at: TargetURL(landscape.identityProvider()).origin)
            try await command.waitForOutput("speed")
            try input.fileHandleForWriting.close()
            let outcome = await command.outcome()
            #expect(outcome.text.contains("\"user\": \"alice\""), "\(outcome.text)")
            #expect(outcome.text.contains("SAML2 login: a page of \(landscape.identityProvider())"))
            #expect(!outcome.text.contains("wonderland"))
            #expect(outcome.text.contains(" echo "), "echo is back")
            #expect(landscape.samlCounters.logins == 1)
        }
    }

    /// The login leads to an identity provider that the person has not named before.
    @Test(arguments: [true, false]) func asksBeforeItAsksForAnUnnamedOrigin(isTrusted: Bool) async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let profile = try WebProfile(landscape, in: sandbox, origins: [landscape.urlString(.main, "")])
            let (command, input) = try profile.onTerminal(profile.url("/saml/post-post/x"))
            let provider = try TargetURL(landscape.identityProvider()).origin
            try await command.waitForOutput("(yes/no): ")
            #expect(command.outputSoFar.contains("has led to \(provider), which neither you nor"))
            #expect(!command.outputSoFar.contains("Asked by"))
            try input.fileHandleForWriting.write(contentsOf: Data((isTrusted ? "yes\n" : "no\n").utf8))
            if isTrusted { try await logIn(command, input, at: provider) }
            try await command.waitForOutput("status=")
            try input.fileHandleForWriting.close()
            let outcome = await command.outcome()
            #expect(outcome.text.contains(isTrusted ? "status=0" : "status=67"), "\(outcome.text)")
            #expect(outcome.text.contains("\"user\": \"alice\"") == isTrusted)
            #expect(outcome.text.components(separatedBy: "(yes/no)").count == 2, "asked once")
            #expect(landscape.samlCounters.logins == (isTrusted ? 1 : 0) && landscape.samlCounters.loginForms == 1)
        }
    }

    /// The person names the origin on the command line.
    @Test func anAnswerOriginIsNamed() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let profile = try WebProfile(landscape, in: sandbox, origins: [landscape.urlString(.main, "")])
            let (command, input) = try profile.onTerminal(
                "--answer-origin \(landscape.identityProvider()) \(profile.url("/saml/post-post/x"))")
            try await command.waitForOutput("User name: ")
            #expect(!command.outputSoFar.contains("yes/no"))
            try input.fileHandleForWriting.write(contentsOf: Data([3]))
            try await command.waitForOutput("status=130")
            try input.fileHandleForWriting.close()
            _ = await command.outcome()
        }
    }

    @Test func controlCAtTheQuestionRestoresTheTerminal() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let profile = try WebProfile(landscape, in: sandbox)
            let (command, input) = try profile.onTerminal(
                "--answer user=alice \(profile.url("/saml/post-post/x"))", then: "stty -a")
            try await command.waitForOutput("Password: ")
            try input.fileHandleForWriting.write(contentsOf: Data([3]))
            try await command.waitForOutput("speed")
            try input.fileHandleForWriting.close()
            let outcome = await command.outcome()
            #expect(outcome.text.contains("status=130"), "\(outcome.text)")
            #expect(outcome.text.contains(" echo ") && !outcome.text.contains("-isig"), "the settings are back")
            #expect(landscape.samlCounters.failedPasswords == 0)
        }
    }

    @Test func controlCBetweenQuestions() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
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
}
