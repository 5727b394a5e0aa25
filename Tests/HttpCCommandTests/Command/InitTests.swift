import Foundation
import TestLandscape
import TestSupport
import Testing

@testable import HttpCClient

/// `httpc init`: from nothing to a working profile.
@Suite(.timeLimit(.minutes(1))) struct InitTests {
    private static let environment = ["PASSWORD": "wonderland", "SECRET": "machine-secret", "TOTP": WebProfile.secret]
    private static let answers = ["--answer", "user=alice", "--answer-env", "password=PASSWORD", "--web", "terminal"]
    private static let file = "config/httpc/config.toml"

    private func run(_ sandbox: Sandbox, _ arguments: [String]) async throws -> RunningCommand.Outcome {
        try await RunningCommand(
            ["-w", BuiltProduct.httpc] + arguments, in: sandbox, program: "/usr/bin/setsid",
            environment: Self.environment
        ).outcome()
    }

    private func text(_ sandbox: Sandbox) -> String {
        String(decoding: sandbox.read(Self.file) ?? Data(), as: UTF8.self)
    }

    /// The login, the options, and a part of the profile.
    static let logins: [(path: String, options: [String], part: String)] = [
        ("/basic/realm1/x", ["-u", "alice", "--password-env", "PASSWORD"], "username = \"alice\""),
        ("/digest/sha256/x", ["-u", "alice", "--password-env", "PASSWORD"], "password-env = \"PASSWORD\""),
        ("/saml/post-post-noheader/x", answers, ".saml2]"),
        ("/site/oidc/x", answers, ".web-login]"),
        ("/site/form/x", answers, ".web-login]"),
        (
            "/api/with-metadata",
            ["--client-id", "machine", "--client-secret-env", "SECRET", "--grant", "client-credentials"], "issuer = "
        ),
        (
            "/otp/basic/x",
            ["-u", "alice", "--password-env", "PASSWORD", "--answer-totp", "passcode=TOTP", "--web", "terminal"],
            ".otp]"
        ),
    ]

    @Test(arguments: logins) func withoutAPerson(path: String, options: [String], part: String) async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let url = landscape.urlString(.main, path)
            let origins = ["--answer-origin", landscape.identityProvider()]
            let outcome = try await run(sandbox, ["init", url, "--yes"] + options + origins)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("From now on:"), "\(outcome.errors)")
            #expect(text(sandbox).contains(part), "\(text(sandbox))")
            #expect(sandbox.mode(Self.file) == 0o600)
            #expect(!text(sandbox).contains("wonderland"))
            let used = try await run(sandbox, [url])
            #expect(used.status == 0 && used.text.contains("\"authenticated\""), "\(used.errors) \(used.text)")
            #expect(try await sandbox.httpc("config", "check").status == 0)
        }
    }

    /// The text of the file stays, byte by byte, and is followed by the new profile.
    @Test(arguments: ["# mine\n[profiles.work]\n", "# mine\n[profiles.work]\nmatch = []  # none", ""])
    func theFileStaysAsItIs(old: String) async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            try sandbox.write(old, to: Self.file, mode: 0o644)
            let arguments = [
                "--yes", "-u", "al\"ice\n[profiles.evil]", "--password-env", "UNSET_HERE", "--profile", "new",
            ]
            let outcome = try await run(sandbox, ["init", landscape.urlString(.main, "/basic/realm1/x")] + arguments)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.errors.contains("not tried"))
            #expect(text(sandbox).hasPrefix(old) && text(sandbox).contains("[profiles.new]"))
            #expect(sandbox.mode(Self.file) == 0o600)
            let list = try await sandbox.httpc("profiles")
            #expect(!list.text.contains("\nevil "), "\(list.text)")
        }
    }

    @Test func parallelRunsLoseNoProfile() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            try await withThrowingTaskGroup(of: Int32.self) { group in
                for name in ["a", "b", "c", "d"] {
                    let url = landscape.urlString(.main, "/basic/realm1/\(name)")
                    group.addTask {
                        try await run(
                            sandbox,
                            [
                                "init", url, "--match", url, "--yes", "-u", "alice", "--password-env", "UNSET_HERE",
                                "--profile", name,
                            ]
                        ).status
                    }
                }
                for try await status in group { #expect(status == 0) }
            }
            let list = try await sandbox.httpc("profiles").text
            for name in ["a", "b", "c", "d"] { #expect(list.contains("\n\(name) "), "\(list)") }
        }
    }

    /// Another server is written only after it was named.
    @Test(arguments: ["/site/oidc/x", "/saml/redirect-post/x"])
    func anotherServerHasToBeNamed(path: String) async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let outcome = try await run(sandbox, ["init", landscape.urlString(.main, path), "--yes"] + Self.answers)
            #expect(outcome.status == 2, "\(outcome.errors)")
            #expect(outcome.errors.contains("--answer-origin \(landscape.identityProvider())"), "\(outcome.errors)")
            #expect(text(sandbox).isEmpty)
        }
    }

    @Test func aServerWithoutALogin() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let outcome = try await run(sandbox, ["init", landscape.urlString(.main, "/json"), "--yes"])
            #expect(outcome.status == 0 && outcome.errors.contains("no login to configure"), "\(outcome.errors)")
            #expect(text(sandbox).isEmpty)
        }
    }

    @Test func withoutATerminalYesIsNeeded() async throws {
        let outcome = try await run(try Sandbox(), ["init", "https://example.com/"])
        #expect(outcome.status == 2 && outcome.errors.contains("--yes"), "\(outcome.errors)")
    }

    @Test func aPersonAnswers() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let input = Pipe()
            let url = landscape.urlString(.main, "/saml/redirect-post/x")
            let command = try RunningCommand(
                ["-qec", "\(BuiltProduct.httpc) init \(url); echo status=$?", "/dev/null"], in: sandbox,
                program: "/usr/bin/script", environment: ["SHELL": "/bin/sh", "NO_COLOR": "1"], input: input)
            let dialogue = [
                ("Name of the profile [local]: ", "portal"), ("For all URLs below", ""),
                ("Its login pages are at \(landscape.identityProvider())", "yes"),
                ("Where do you want to see login pages?", "2"), ("Append this to", "yes"), ("User name: ", "alice"),
                ("Password: ", "wonderland"),
            ]
            for (question, answer) in dialogue {
                try await command.waitForOutput(question)
                try input.fileHandleForWriting.write(contentsOf: Data("\(answer)\n".utf8))
            }
            try await command.waitForOutput("status=")
            try input.fileHandleForWriting.close()
            let outcome = await command.outcome()
            #expect(outcome.text.contains("status=0") && outcome.text.contains("logged in (SAML2)"), "\(outcome.text)")
            #expect(!outcome.text.contains("wonderland"))
            #expect(text(sandbox).contains("[profiles.portal.saml2]") && text(sandbox).contains("web = \"terminal\""))
            let used = try await run(sandbox, [url])
            #expect(used.status == 0, "\(used.errors)")
            #expect(landscape.samlCounters.logins == 1)
        }
    }

    @Test func aPersonSaysNo() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let input = Pipe()
            let url = landscape.urlString(.main, "/site/oidc/x")
            let command = try RunningCommand(
                ["-qec", "\(BuiltProduct.httpc) init \(url); echo status=$?", "/dev/null"], in: sandbox,
                program: "/usr/bin/script", environment: ["SHELL": "/bin/sh", "NO_COLOR": "1"], input: input)
            for (question, answer) in [("Name of", ""), ("For all URLs", ""), ("Is that where you log in?", "no")] {
                try await command.waitForOutput(question)
                try input.fileHandleForWriting.write(contentsOf: Data("\(answer)\n".utf8))
            }
            try await command.waitForOutput("status=67")
            try input.fileHandleForWriting.close()
            _ = await command.outcome()
            #expect(text(sandbox).isEmpty)
        }
    }
}
