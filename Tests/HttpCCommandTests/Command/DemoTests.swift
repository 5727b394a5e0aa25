import Foundation
import TestLandscape
import TestSupport
import Testing

@testable import HttpCDemo

@Suite(.timeLimit(.minutes(2))) struct DemoTests {
    @Test func everyStoryGoesWellFitsAScreenAndShowsNoSecret() async throws {
        let outcome = try await Sandbox().httpc("demo", "all")
        #expect(outcome.status == 0, "\(outcome.text)")
        #expect(outcome.text.contains("All \(DemoScene.all.count) went well."))
        // One conversation fails on purpose: it finds the vault locked.
        let failures = outcome.text.split(separator: "\n").filter { $0.contains("✗") }
        #expect(failures.count == 1 && failures[0].contains("The vault is locked"), "\(failures)")
        #expect(!outcome.text.utf8.contains(0x1B), "colours are for terminals")
        for word in ["unknown context", "Strategy", "verdict", "Started", "Finished", "Received"] {
            #expect(!outcome.text.contains(word))
        }
        let secrets = [
            "wonderland", "looking-glass", "pässwörd€", "demo-key", "machine-secret", "through-the-wall",
            "demo passphrase", "rabbit-hole-6", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "tin-",
        ]
        for secret in secrets {
            #expect(Canary.forms(of: secret, in: outcome.text + outcome.errors) == [])
        }
        let lines = outcome.text.split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines { #expect(line.count <= 80, "\(line)") }
        for story in DemoScene.stories {
            let start = try #require(lines.firstIndex { $0.hasSuffix("httpc demo \(story.name)") })
            let end = try #require(lines[start...].firstIndex { $0.hasPrefix("  ✓ ") })
            // Rows without heads, which may be long, but with an empty line and the question below.
            let rows = lines[start...end].count { !$0.hasPrefix("  >") && !$0.hasPrefix("  <") }
            #expect(rows + 2 <= 24, "\(lines[start...end].joined(separator: "\n"))")
        }
    }

    private func onTerminal(_ arguments: String, typing: String, in sandbox: Sandbox) async throws -> String {
        let command = try RunningCommand(
            onTerminal: "stty cols 80 rows 24; \(BuiltProduct.httpc) demo \(arguments); echo status=$?", in: sandbox)
        try await command.answer("q: the end. ", typing)
        return try await command.outcome(after: "status=").text
    }

    @Test(arguments: ["", "q"]) func aPersonGoesFromStoryToStory(typing: String) async throws {
        let shown = try await onTerminal("password secrets", typing: typing, in: Sandbox())
        #expect(shown.contains("status=0") && shown.contains("\u{1B}[1mA password"), "\(shown)")
        #expect(shown.contains("All \(typing.isEmpty ? 2 : 1) went well."), "\(shown)")
    }

    @Test func aTerminalWithoutUnicodeGetsASCII() async throws {
        let outcome = try await Sandbox().httpc("demo", "utf8", "secrets", environment: ["LANG": "C"])
        #expect(outcome.status == 0 && outcome.text.contains("ok the server knows j?rgen by Basic"), "\(outcome.text)")
        #expect(outcome.text.utf8.allSatisfy { $0 < 0x80 }, "\(outcome.text)")
    }

    @Test(arguments: ["password", "basic"]) func aStoryThatFailsIsSaidAndIsTheExitStatus(name: String) async throws {
        // The stories' commands need TMPDIR; a story without commands still succeeds.
        let outcome = try await Sandbox().httpc("demo", name, "json", environment: ["TMPDIR": "/proc"])
        #expect(outcome.status == (name == "password" ? 1 : 0), "\(outcome.text)")
        #expect(outcome.text.contains("1 of 2 went wrong.") == (name == "password"))
    }

    @Test func namesAreSaid() async throws {
        let list = try await Sandbox().httpc("demo", "--list")
        let names = list.text.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(list.status == 0 && names == DemoScene.all.map(\.name) && Set(names).count == names.count)
        let wrong = try await Sandbox().httpc("demo", "sampl2")
        #expect(wrong.status == 2 && wrong.text.isEmpty)
        #expect(wrong.errors.contains("Did you mean saml2? There are password, saml2, oauth2, script, secrets, all;"))
        #expect(try DemoScene.chosen(by: []).map(\.name) == ["password", "saml2", "oauth2", "script", "secrets"])
    }
}
