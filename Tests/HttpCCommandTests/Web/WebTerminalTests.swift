import Foundation
import Landscape
import Testing

/// Logins on web pages with a person, on a terminal that `script` provides.
@Suite(.timeLimit(.minutes(1))) struct WebTerminalTests {
    @Test func asksWhatThePageAsks() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let profile = try WebProfile(landscape, in: sandbox)
            let (command, input) = try profile.onTerminal(profile.url("/saml/post-post/x"), then: "stty -a")
            try await command.waitForOutput("User name: ")
            try input.fileHandleForWriting.write(contentsOf: Data("alice\n".utf8))
            try await command.waitForOutput("Password: ")
            try input.fileHandleForWriting.write(contentsOf: Data("wonderland\n".utf8))
            try await command.waitForOutput("speed")
            try input.fileHandleForWriting.close()
            let outcome = await command.outcome()
            #expect(outcome.text.contains("\"user\":\"alice\""), "\(outcome.text)")
            #expect(outcome.text.contains("SAML2 login: a page of \(landscape.identityProvider())"))
            #expect(!outcome.text.contains("wonderland"))
            #expect(outcome.text.contains(" echo "), "echo is back")
            #expect(landscape.samlCounters.logins == 1)
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
