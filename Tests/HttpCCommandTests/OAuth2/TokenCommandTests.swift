import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// `httpc tokens` and `httpc logout`.
@Suite(.landscape, .timeLimit(.minutes(1))) struct TokenCommandTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private func run(_ arguments: String...) async throws -> RunningCommand.Outcome {
        try await sandbox.httpc(arguments, environment: OAuth2Profile.secrets)
    }

    private func accessToken() async throws -> String {
        let outcome = try await run("tokens", "--access-token", "--profile", "work")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.isEmpty)
        #expect(outcome.text.last == "\n")
        return String(outcome.text.dropLast())
    }

    @Test func listsWithoutValues() async throws {
        let empty = try await run("tokens")
        #expect(empty.status == 0)
        #expect(empty.output.isEmpty)
        try OAuth2Profile.install("password", landscape, in: sandbox)
        #expect(try await run("login").status == 0)
        let token = try await accessToken()
        for arguments in [
            ["tokens"], ["tokens", "--profile", "work"], ["tokens", landscape.urlString(.main, "/api")],
        ] {
            let list = try await sandbox.httpc(arguments)
            #expect(list.status == 0, "\(list.errors)")
            let row = try #require(list.text.split(separator: "\n").first { $0.hasPrefix("work ") })
            #expect(row.contains(landscape.urlString(.main, "/")))
            #expect(row.contains("\(landscape.issuer()) native"))
            #expect(row.contains("read") && row.hasSuffix("yes"))
            #expect(row.contains(/20\d\d-\d\d-\d\dT/))
            #expect(Canary.forms(of: token, in: list.text + list.errors) == [])
        }
        try await OAuth2Profile.endTokens(in: sandbox)
        #expect(try await run("tokens").text.contains("expired"))
    }

    /// A vault that cannot be opened does not hide the others.
    @Test func listGoesOnAfterAVaultThatCannotBeOpened() async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        _ = try await accessToken()
        try FileManager.default.copyItem(
            atPath: sandbox.path("state/httpc/work"), toPath: sandbox.path("state/httpc/broken"))
        try sandbox.write(String(repeating: "0f", count: 32), to: "state/httpc/broken/vault.key")
        let list = try await run("tokens")
        #expect(list.status == 2)
        #expect(list.errors.contains("broken was made with another key"), "\(list.errors)")
        #expect(list.text.contains("\nwork "))
    }

    @Test func accessTokenIsRenewedWhereNeeded() async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        let first = try await accessToken()
        #expect(try await accessToken() == first)
        #expect(landscape.oauthCounters.tokenRequests == 1)
        try await OAuth2Profile.endTokens(in: sandbox)
        let second = try await accessToken()
        #expect(second != first)
        #expect(landscape.oauthCounters.refreshes == 1)
        let used = try await sandbox.httpc(
            "-f", "--config", "/dev/null", "-H", "Authorization: Bearer \(second)",
            landscape.urlString(.main, "/api/1"))
        #expect(used.status == 0, "\(used.errors)")
    }

    /// The line as curl reads it.
    @Test func headerIsALineForCurl() async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        let line = try await run("tokens", "--header", "--profile", "work")
        #expect(line.status == 0, "\(line.errors)")
        #expect(line.errors.isEmpty)
        #expect(line.text == "Authorization: Bearer \(try await accessToken())\n")
        let used = try await Program.run(
            "/usr/bin/curl", ["-fsS", "--noproxy", "*", "-H", "@-", landscape.urlString(.main, "/api/1")],
            input: line.output)
        #expect(used.status == 0, "\(used.errors)")
        try await OAuth2Profile.endTokens(in: sandbox)
        #expect(try await run("tokens", "--header").text != line.text)
        #expect(landscape.oauthCounters.refreshes == 1)
        #expect(try await run("tokens", "--header", "--access-token").status == 2)
    }

    @Test func headerIsNotForATerminal() async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        let command = try RunningCommand(
            onTerminal: "'\(BuiltProduct.httpc)' tokens --header", in: sandbox, environment: OAuth2Profile.secrets)
        let outcome = await command.outcome()
        #expect(outcome.status == 2)
        #expect(outcome.text.contains("pipe it") && !outcome.text.contains("Bearer"), "\(outcome.text)")
        #expect(landscape.oauthCounters.tokenRequests == 0)
    }

    @Test func accessTokenThatNeedsAPersonIs67() async throws {
        try OAuth2Profile.install("code", landscape, in: sandbox)
        let outcome = try await run("tokens", "--access-token")
        #expect(outcome.status == 67)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("httpc login --profile work"), "\(outcome.errors)")
        #expect(landscape.oauthCounters.tokenRequests == 0)
    }

    /// Tokens of a client that the profile does not have any more.
    @Test func logoutEndsTokensOfEarlierSettings() async throws {
        let configuration = "config/httpc/config.toml"
        try OAuth2Profile.install("password", landscape, in: sandbox)
        _ = try await accessToken()
        let text = String(decoding: try #require(sandbox.read(configuration)), as: UTF8.self)
        try sandbox.write(text.replacing("\"native\"", with: "\"renamed\""), to: configuration)
        let status = try await run("status")
        #expect(status.text.contains("logged out; tokens of earlier settings are kept"), "\(status.text)")
        let logout = try await run("logout")
        #expect(logout.status == 0, "\(logout.errors)")
        #expect(
            logout.errors.contains("earlier settings") && logout.errors.contains("were not told"), "\(logout.errors)")
        #expect(try await run("tokens").output.isEmpty)
    }

    @Test func logoutEndsTokensOfAProfileThatIsGone() async throws {
        let configuration = "config/httpc/config.toml"
        try OAuth2Profile.install("password", landscape, in: sandbox)
        _ = try await accessToken()
        #expect(try await run("status").text.contains("logged in"))
        let text = String(decoding: try #require(sandbox.read(configuration)), as: UTF8.self)
        try sandbox.write(text.replacing("profiles.work", with: "profiles.other"), to: configuration)
        #expect(try await run("tokens").text.contains("\nwork "))
        let former = try await run("logout", "--profile", "work")
        #expect(former.status == 0, "\(former.errors)")
        #expect(former.errors.contains("earlier settings"), "\(former.errors)")
        #expect(try await run("tokens").output.isEmpty)
        let unknown = try await run("logout", "--profile", "nowhere")
        #expect(unknown.status == 2 && unknown.errors.contains("no profile of that name"), "\(unknown.errors)")
    }

    @Test func logoutRevokesAndForgets() async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        let token = try await accessToken()
        let metadata = "/.well-known/oauth-authorization-server/oauth2"
        let fetched = landscape.count(path: metadata)
        // The person's password is not needed for that.
        let outcome = try await sandbox.httpc("logout")
        #expect(landscape.count(path: metadata) == fetched + 1)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("revoked at the server"))
        #expect(outcome.output.isEmpty)
        #expect(landscape.oauthCounters.revocations >= 1)
        let used = try await sandbox.httpc(
            "-f", "--config", "/dev/null", "-H", "Authorization: Bearer \(token)",
            landscape.urlString(.main, "/api/1"))
        #expect(used.status == 22, "the server has ended it")
        #expect(landscape.count(path: "/api/1") == 1)
        #expect(try await run("tokens").output.isEmpty)
        let again = try await run("logout")
        #expect(again.status == 0)
        #expect(again.errors.contains("no tokens"), "\(again.errors)")
    }

    @Test func logoutSaysWhereTheServerDidNotHear() async throws {
        try await withLandscape { landscape in
            try OAuth2Profile.install("password", landscape, in: sandbox)
            _ = try await accessToken()
        }
        let outcome = try await run("logout")
        #expect(outcome.status == 7, "\(outcome.errors)")
        #expect(outcome.errors.contains("removed here, but the server did not revoke them"))
        #expect(outcome.errors.contains("stay valid until they expire"))
        #expect(try await run("tokens").output.isEmpty)
    }

    @Test func logoutSaysWhereThereIsNoRevocation() async throws {
        try sandbox.write(
            """
            [profiles.work]
            match = ["\(landscape.urlString(.main, "/api"))"]
            [profiles.work.oauth2]
            grant = "client-credentials"
            token-endpoint = "\(landscape.issuer())/token"
            client-id = "machine"
            client-secret-env = "SECRET"
            """, to: "config/httpc/config.toml")
        _ = try await accessToken()
        // A secret that no server wants is not needed.
        let outcome = try await sandbox.httpc("logout")
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("No revocation endpoint is known"), "\(outcome.errors)")
        #expect(try await run("tokens").output.isEmpty)
    }

    /// The client's secret, and a proxy's password, without which nothing can be sent.
    @Test(arguments: [
        ("", "SECRET"), ("proxy = \"http://127.0.0.1:9\"\nproxy-user = \"x\"\nproxy-password-env = \"GONE\"", "GONE"),
    ])
    func logoutRemovesTheTokensWithoutASecret(keys: String, variable: String) async throws {
        try OAuth2Profile.install("client-credentials", landscape, in: sandbox)
        _ = try await accessToken()
        let text = String(decoding: sandbox.read("config/httpc/config.toml") ?? Data(), as: UTF8.self)
        try sandbox.write(
            text.replacing("[profiles.work]\n", with: "[profiles.work]\n\(keys)\n"), to: "config/httpc/config.toml")
        let outcome = try await sandbox.httpc("logout")
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("removed here, but the server did not revoke them"), "\(outcome.errors)")
        #expect(outcome.errors.contains(variable), "\(outcome.errors)")
        #expect(try await sandbox.httpc("tokens").output.isEmpty)
        #expect(landscape.oauthCounters.revocations == 0)
    }

    @Test func loginGetsNewTokensAlthoughThereAreSome() async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        let first = try await accessToken()
        #expect(try await run("login").status == 0)
        #expect(landscape.oauthCounters.grants["password"] == 2)
        #expect(try await accessToken() != first)
    }
}
