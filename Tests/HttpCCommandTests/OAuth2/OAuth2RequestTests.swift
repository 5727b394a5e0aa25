import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// Requests under a profile with OAuth2, end to end.
@Suite(.landscape, .timeLimit(.minutes(1))) struct OAuth2RequestTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private func run(
        _ arguments: String..., secrets: [String: String] = OAuth2Profile.secrets
    ) async throws -> RunningCommand.Outcome {
        try await sandbox.httpc(arguments, environment: secrets)
    }

    @Test(arguments: ["client-credentials", "password"])
    func secondRunUsesTheStoredToken(grant: String) async throws {
        try OAuth2Profile.install(grant, landscape, in: sandbox)
        let first = try await run(landscape.urlString(.main, "/api/1"))
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.text.contains("\"authenticated\":true"))
        #expect(landscape.oauthCounters.tokenRequests == 1)
        // No secret is needed while the token is valid.
        let second = try await run(landscape.urlString(.main, "/api/2"), secrets: [:])
        #expect(second.text.contains("\"authenticated\":true"), "\(second.errors)")
        #expect(landscape.oauthCounters.tokenRequests == 1)
        #expect(landscape.count(path: "/api/2") == 1, "sent ahead, not challenged")
    }

    @Test func endpointsMayBeGivenOneByOne() async throws {
        try sandbox.write(
            """
            [profiles.work.oauth2]
            grant = "client-credentials"
            token-endpoint = "\(landscape.issuer())/token"
            client-id = "machine"
            client-secret-file = "secret"
            token-origins = ["\(landscape.urlString(.main, "/"))"]
            """, to: "config/httpc/config.toml")
        try sandbox.write("machine-secret\n", to: "config/httpc/secret")
        let outcome = try await run("--profile", "work", landscape.urlString(.main, "/api/1"))
        #expect(outcome.text.contains("machine"), "\(outcome.errors)")
        #expect(landscape.count(path: "/.well-known/oauth-authorization-server/oauth2") == 0)
    }

    /// A profile without a match is for the origin that the person types beside its name.
    @Test func profileWithoutMatchKeepsTokensByOrigin() async throws {
        let table = OAuth2Profile.table("client-credentials", landscape)
        try sandbox.write(table, to: "config/httpc/config.toml")
        for origin in [LandscapeOrigin.main, .other, .main] {
            let outcome = try await run("--profile", "work", landscape.urlString(origin, "/api/1"))
            #expect(outcome.text.contains("machine"), "\(outcome.errors)")
        }
        #expect(landscape.oauthCounters.grants["client_credentials"] == 2)
        let sent = landscape.requests(path: "/api/1", origin: .other).map { $0.values(of: "Authorization") }
        #expect(sent.count == 2)
        #expect(sent.first == [], "the first origin's token stays there")
        let list = try await run("tokens")
        #expect(list.text.split(separator: "\n").count == 3)
        let login = try await run("login", "--profile", "work")
        #expect(login.status == 2)
        #expect(login.errors.contains("name a URL"), "\(login.errors)")
    }

    @Test func refreshesAfterExpiryAndAfterRefusal() async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        _ = try await run(landscape.urlString(.main, "/api/1"))
        try await OAuth2Profile.endTokens(in: sandbox)
        // The token's end is known, so it is renewed before the request.
        let ahead = try await run(landscape.urlString(.main, "/api/2"))
        #expect(ahead.status == 0, "\(ahead.errors)")
        #expect(landscape.count(path: "/api/2") == 1)
        #expect(landscape.oauthCounters.refreshes == 1)
        landscape.expireAccessTokens()
        let refused = try await run(landscape.urlString(.main, "/api/3"))
        #expect(refused.status == 0, "\(refused.errors)")
        #expect(landscape.count(path: "/api/3") == 2)
        #expect(landscape.oauthCounters.refreshes == 2)
        #expect(landscape.oauthCounters.grants["password"] == 1)
        #expect(landscape.oauthCounters.reuseDetected == 0)
    }

    @Test(arguments: [("client-credentials", "SECRET"), ("password", "PASSWORD")])
    func wrongOrMissingSecretIs67(grant: String, variable: String) async throws {
        try OAuth2Profile.install(grant, landscape, in: sandbox)
        let url = landscape.urlString(.main, "/api/1")
        let wrong = try await run(url, secrets: [variable: "planted-canary"])
        #expect(wrong.status == 67)
        #expect(wrong.output.isEmpty)
        #expect(wrong.errors.contains("invalid_"), "\(wrong.errors)")
        #expect(Canary.forms(of: "planted-canary", in: wrong.errors) == [])
        #expect(landscape.oauthCounters.tokenRequests == 1)
        let missing = try await run(url, secrets: [:])
        #expect(missing.status == 67)
        #expect(missing.output.isEmpty)
        #expect(missing.errors.contains(variable), "\(missing.errors)")
        #expect(landscape.oauthCounters.tokenRequests == 1)
    }

    @Test func unreachableServerIs67() async throws {
        try sandbox.write(
            """
            [profiles.work]
            match = ["\(landscape.urlString(.main, "/api"))"]
            [profiles.work.oauth2]
            grant = "client-credentials"
            token-endpoint = "http://127.0.0.1:1/token"
            client-id = "machine"
            client-secret-env = "SECRET"
            """, to: "config/httpc/config.toml")
        let outcome = try await run(landscape.urlString(.main, "/api/1"))
        #expect(outcome.status == 67)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("http://127.0.0.1:1/token could not be reached"), "\(outcome.errors)")
        #expect(landscape.count(path: "/api/1") == 1)
    }

    /// Security rule S13: the token stays inside the match.
    @Test func tokenStaysInsideTheMatch() async throws {
        try OAuth2Profile.install("client-credentials", landscape, in: sandbox)
        _ = try await run(landscape.urlString(.main, "/api/1"))
        let elsewhere = [
            ("/sap/1", LandscapeOrigin.main, landscape.urlString(.main, "/sap/1")),
            ("/api/1", .other, landscape.urlString(.other, "/api/1")),
        ]
        for (path, origin, url) in elsewhere {
            let outcome = try await run("--profile", "work", url)
            #expect(outcome.status == 67)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.contains("outside the match"), "\(outcome.errors)")
            let sent = landscape.requests(path: path, origin: origin)
            #expect(sent.count == 1)
            #expect(sent.allSatisfy { $0.values(of: "Authorization").isEmpty })
        }
        #expect(landscape.oauthCounters.tokenRequests == 1)
    }

    @Test func explicitUserAndHeaderWin() async throws {
        try OAuth2Profile.install("client-credentials", landscape, in: sandbox)
        let url = landscape.urlString(.main, "/api/1")
        let user = try await run("-u", "alice:wonderland", url)
        #expect(user.status == 0)
        #expect(user.errors.contains("Bearer"), "\(user.errors)")
        let own = try await run("-H", "Authorization: Bearer mine", url)
        #expect(own.status == 0, "\(own.errors)")
        // The person's own token is sent first. After its refusal the profile's follows.
        let sent = landscape.requests(path: "/api/1").suffix(2).map { $0.values(of: "Authorization") }
        #expect(sent.first == ["Bearer mine"])
        #expect(sent.last != sent.first)
    }

    @Test func severalProcessesShareOneRefresh() async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        _ = try await run(landscape.urlString(.main, "/api/first"))
        landscape.expireAccessTokens()
        let gate = landscape.holdTokenRequests()
        let commands = try (0..<6).map { number in
            try RunningCommand(
                [landscape.urlString(.main, "/api/crowd")], in: sandbox, environment: OAuth2Profile.secrets)
        }
        // All are refused before the one refresh is answered.
        try await landscape.waitFor(count: 6, path: "/api/crowd")
        gate.release()
        for command in commands {
            let outcome = await command.outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.text.contains("\"authenticated\":true"))
        }
        #expect(landscape.oauthCounters.refreshes == 1)
        #expect(landscape.oauthCounters.invalidGrants == 0)
        #expect(landscape.oauthCounters.reuseDetected == 0)
    }

    /// The first runs of several processes create one key and one vault.
    @Test func severalProcessesMakeOneVault() async throws {
        try OAuth2Profile.install("client-credentials", landscape, in: sandbox)
        let commands = try (0..<6).map { number in
            try RunningCommand(
                [landscape.urlString(.main, "/api/\(number)")], in: sandbox, environment: OAuth2Profile.secrets)
        }
        for command in commands {
            let outcome = await command.outcome()
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        #expect(sandbox.mode("state/httpc/work/vault.key") == 0o600)
        #expect(sandbox.mode("state/httpc/work/vault.sqlite") == 0o600)
        #expect(sandbox.mode("state/httpc/work") == 0o700)
        #expect(landscape.oauthCounters.grants["client_credentials"] == 1)
    }

    // MARK: Files that others can read

    @Test func keyFileThatOthersCanReadIsRefused() async throws {
        try OAuth2Profile.install("client-credentials", landscape, in: sandbox)
        _ = try await run(landscape.urlString(.main, "/api/1"))
        let key = sandbox.path("state/httpc/work/vault.key")
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
        let outcome = try await run(landscape.urlString(.main, "/api/2"))
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("chmod 600"), "\(outcome.errors)")
        #expect(landscape.count(path: "/api/2") == 0)
    }

    @Test func secretFileThatOthersCanReadIsRefused() async throws {
        let text = OAuth2Profile.table("client-credentials", landscape)
            .replacing("client-secret-env = \"SECRET\"", with: "client-secret-file = \"secret\"")
        try sandbox.write(
            "[profiles.work]\nmatch = [\"\(landscape.urlString(.main, "/api"))\"]\n" + text,
            to: "config/httpc/config.toml")
        try sandbox.write("machine-secret", to: "config/httpc/secret", mode: 0o644)
        let outcome = try await run(landscape.urlString(.main, "/api/1"))
        #expect(outcome.status == 67)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("the file with the client secret"), "\(outcome.errors)")
        #expect(landscape.count(path: "/api/1") == 1)
        #expect(landscape.oauthCounters.tokenRequests == 0)
    }

    @Test func keyMayComeFromTheEnvironment() async throws {
        try OAuth2Profile.install("client-credentials", landscape, in: sandbox)
        let key = String(repeating: "0f", count: 32)
        let secrets = OAuth2Profile.secrets.merging(["HTTPC_VAULT_KEY": key]) { $1 }
        let first = try await run(landscape.urlString(.main, "/api/1"), secrets: secrets)
        #expect(first.status == 0, "\(first.errors)")
        #expect(sandbox.mode("state/httpc/work/vault.key") == nil)
        // Without the key the vault stays closed, and no new key replaces it.
        let without = try await run(landscape.urlString(.main, "/api/2"))
        #expect(without.status == 2)
        #expect(without.errors.contains("HTTPC_VAULT_KEY"), "\(without.errors)")
        #expect(sandbox.mode("state/httpc/work/vault.key") == nil)
        let other = try await run(
            landscape.urlString(.main, "/api/2"),
            secrets: ["HTTPC_VAULT_KEY": String(repeating: "1f", count: 32)])
        #expect(other.status == 2)
        #expect(other.errors.contains("another key"), "\(other.errors)")
        #expect(landscape.count(path: "/api/2") == 0)
    }
}
