import Foundation
import HttpC
import LandscapeSupport
import TestLandscape
import TestSupport
import Testing

/// Logins that no profile knows: with a person at a terminal, and without.
@Suite(.landscape, .timeLimit(.minutes(1))) struct RecognizedLoginTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    static let logins: [(path: String, kind: String, isElsewhere: Bool)] = [
        ("/site/form/x", "a login form", false), ("/site/oidc/x", "an OpenID Connect login", true),
        ("/site/oidc-post/x", "an OpenID Connect login", true), ("/saml/post-post-noheader/x", "a SAML2 login", true),
        ("/saml/redirect-post/x", "a SAML2 login", true),
    ]

    /// Starts the command on a terminal.
    private func onTerminal(_ arguments: String) throws -> RunningCommand {
        try RunningCommand(
            onTerminal: "\(BuiltProduct.httpc) --web terminal \(arguments); echo status=$?", in: sandbox,
            environment: ["NO_COLOR": "1"])
    }

    @Test(arguments: logins) func aPersonLogsIn(path: String, kind: String, isElsewhere: Bool) async throws {
        let base = landscape.urlString(.main, "")
        let provider = isElsewhere ? landscape.identityProvider() : base
        let command = try onTerminal(base + path)
        try await command.waitForOutput("(yes/no)")
        #expect(command.outputSoFar.contains("\(base) answered with \(kind)"), "\(command.outputSoFar)")
        #expect(command.outputSoFar.contains("Log in at \(provider)?"))
        #expect(!command.outputSoFar.contains("Password"))
        try command.type(isElsewhere ? "yes\n" : "y\n")
        for (label, text) in [("User name", "alice"), ("Password", "wonderland")] {
            try await command.answer("\(label): ", text)
        }
        let outcome = try await command.outcome(after: "status=")
        #expect(
            outcome.text.contains("status=0") && outcome.text.contains("\"user\": \"alice\""), "\(outcome.text)")
        #expect(outcome.text.components(separatedBy: "(yes/no)").count == 2, "asked once")
    }

    /// Three transfers: one question.
    @Test func aPersonSaysNo() async throws {
        let url = landscape.urlString(.main, "/site/form/x")
        let command = try onTerminal("\(url) \(url) \(url)")
        try await command.answer("(yes/no)", "no")
        let outcome = try await command.outcome(after: "status=")
        #expect(outcome.text.contains("status=67"), "\(outcome.text)")
        #expect(outcome.text.components(separatedBy: "(yes/no)").count == 2, "asked once")
        #expect(!outcome.text.contains("<form"))
    }

    /// The advice works as it is printed.
    @Test(arguments: logins) func withoutAPerson(path: String, kind: String, isElsewhere: Bool) async throws {
        let url = landscape.urlString(.main, path)
        let outcome = try await sandbox.withoutTerminal("-o", "out", url)
        #expect(outcome.status == 67, "\(outcome.errors)")
        #expect(outcome.output.isEmpty && sandbox.read("out") == nil)
        #expect(outcome.errors.contains("answered with \(kind)"), "\(outcome.errors)")
        let advice = outcome.errors.split(separator: "\n").dropFirst()
        try sandbox.write(advice.joined(separator: "\n"), to: "config/httpc/config.toml")
        let second = try await sandbox.withoutTerminal(
            "--web", "terminal", "--answer", "user=alice", "--answer", "password=wonderland", url)
        #expect(second.status == 0, "\(second.errors) \(advice)")
        #expect(second.text.contains("\"user\":\"alice\""))
    }

    @Test(arguments: ["/site/form/x", "/site/oidc/x", "/saml/post-post/x"])
    func thePageIsPrintedOnDemand(path: String) async throws {
        let outcome = try await sandbox.withoutTerminal("--accept-login-page", landscape.urlString(.main, path))
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("<form") && outcome.errors.isEmpty, "\(outcome.errors)")
    }

    /// A page that may be the resource is printed as it came, with one line.
    @Test(arguments: [("/site/inline/x", 0), ("/site/inline-401/x", 0)])
    func aLikelyLoginIsPrinted(path: String, status: Int32) async throws {
        let url = landscape.urlString(.main, path)
        let outcome = try await sandbox.withoutTerminal(url)
        #expect(outcome.status == status)
        #expect(outcome.text.contains("<form"))
        #expect(outcome.errors.components(separatedBy: "may be a login form").count == 2, "\(outcome.errors)")
        let silent = try await sandbox.withoutTerminal("-s", url)
        #expect(silent.errors.isEmpty && silent.status == status)
    }

    /// A page that was asked for compressed is printed as it came, and looked at.
    @Test func aCompressedPageIsLookedAt() async throws {
        // <form method=post><input name=user><input type=password name=password><button>Log in</button></form>
        let packed = Array(
            try #require(
                Data(
                    base64Encoded: "H4sIAAAAAAACAzWMwQ2AIAwAV2EDFiidwCUgVOVB29AS4/bGKM+7Sw52GT108lNqUjFH"
                        + "aKzTA+dOaRqNJfxWSprNLhn1y4sQynQXxk2O0BjijxDfOz7DTXZpZAAAAA==")))
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)"
        landscape.raw.respond(path: "/packed", script: WireScript([.bytes(Array("\(head)\r\n\r\n".utf8) + packed)]))
        let outcome = try await sandbox.withoutTerminal(
            "-H", "Accept-Encoding: gzip", landscape.urlString(.raw, "/packed"))
        #expect(outcome.status == 0 && Array(outcome.output) == packed)
        #expect(outcome.errors.contains("may be a login form"), "\(outcome.errors)")
    }

    /// An issuer that a challenge's metadata names is shown; its server is not asked.
    @Test func anIssuerIsShown() async throws {
        let outcome = try await sandbox.withoutTerminal(landscape.urlString(.main, "/api/with-metadata"))
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("names the issuer http"), "\(outcome.errors)")
        #expect(landscape.count(path: "/.well-known/oauth-protected-resource/api/with-metadata") == 1)
        #expect(landscape.count(path: "/.well-known/oauth-authorization-server") == 0)
        #expect(landscape.count(path: "/.well-known/openid-configuration") == 0)
    }
}
