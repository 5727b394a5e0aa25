import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// `httpc credential docker` and `httpc credential keyring`, by their protocols.
@Suite(.landscape, .timeLimit(.minutes(1))) struct DockerCredentialTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    /// Writes a profile for the whole server.
    private func install(_ table: String) throws {
        try sandbox.write(
            "[profiles.work]\nmatch = [\"\(landscape.urlString(.main, "/"))\"]\n" + table,
            to: "config/httpc/config.toml")
    }

    private func installPassword() throws {
        try install("[profiles.work.basic]\nusername = \"alice\"\npassword-env = \"PASSWORD\"\n")
    }

    private var host: String { String(landscape.urlString(.main, "").dropFirst("http://".count)) }

    private func docker(_ action: String, _ input: String) async throws -> RunningCommand.Outcome {
        try await sandbox.httpc("credential", "docker", action, environment: OAuth2Profile.secrets, input: input)
    }

    private func members(_ outcome: RunningCommand.Outcome) throws -> [String: String] {
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        return try JSONDecoder().decode([String: String].self, from: outcome.output)
    }

    @Test func passwordByHostOrURL() async throws {
        try installPassword()
        for input in [host, "http://\(host)", "http://\(host)/v1/", host + "\n", host + "\r\n"] {
            let answer = try members(try await docker("get", input))
            #expect(answer["Username"] == "alice" && answer["Secret"] == "wonderland", "\(input)")
            #expect(answer["ServerURL"]?.hasPrefix("http://\(host)/") == true)
        }
        #expect(try members(try await docker("list", "")) == ["http://\(host)/": "alice"])
    }

    @Test func tokenUntilItIsErased() async throws {
        try install(OAuth2Profile.table("client-credentials", landscape))
        let first = try members(try await docker("get", host))
        #expect(first["Username"] == "oauth2")
        #expect(try members(try await docker("get", host)) == first)
        #expect(try await docker("erase", host).status == 0)
        #expect(try members(try await docker("get", host))["Secret"] != first["Secret"])
        #expect(landscape.oauthCounters.tokenRequests == 2)
    }

    @Test func nothingForOthers() async throws {
        try installPassword()
        for input in [
            "evil.example", "https://\(host)", "127.0.0.1:1", "localhost" + host.dropFirst("127.0.0.1".count),
        ] {
            let answer = try await docker("get", input)
            #expect(answer.status != 0 && answer.errors.isEmpty, "\(input) \(answer.errors)")
            #expect(answer.text == "credentials not found in native keychain\n")
        }
        for input in ["", "\n", "a b", "evil@\(host)", "http://evil@\(host)", "\(host)\nevil.example", "\(host)%0a"] {
            let answer = try await docker("get", input)
            #expect(answer.status != 0 && answer.output.isEmpty, "\(input)")
        }
        #expect(try await docker("get", String(repeating: "a", count: 70_000)).status == 26)
        let store = try await docker("store", "{\"ServerURL\":\"\(host)\",\"Username\":\"a\",\"Secret\":\"canary\"}")
        #expect(store.status == 2 && store.output.isEmpty && !store.errors.contains("canary"))
        #expect(try await docker("other", "").status == 2)
    }

    // MARK: keyring

    private func keyring(_ arguments: String...) async throws -> RunningCommand.Outcome {
        try await sandbox.httpc(["credential", "keyring"] + arguments, environment: OAuth2Profile.secrets)
    }

    @Test func keyringGetsPasswordsByURLAndUser() async throws {
        try installPassword()
        for url in ["http://\(host)/simple/", host] {
            let answer = try await keyring("get", url, "alice")
            #expect(answer.status == 0 && answer.errors.isEmpty && answer.text == "wonderland\n", "\(answer.errors)")
            #expect(try await keyring("get", "--mode", "creds", url).text == "alice\nwonderland\n")
            // As pip writes it since version 26.
            let json = try await keyring("--mode=creds", "--output=json", "get", url)
            #expect(json.text == "{\"username\":\"alice\",\"password\":\"wonderland\"}\n")
            let other = try await keyring("get", url, "bob")
            #expect(other.status != 0 && other.output.isEmpty && other.errors.isEmpty)
        }
        for arguments in [
            ["get", "evil.example", "alice"], ["get", "http://alice@\(host)/", "alice"], ["set", host, "alice"],
            ["del", host, "alice"],
        ] {
            let answer = try await sandbox.httpc(
                ["credential", "keyring"] + arguments, environment: OAuth2Profile.secrets)
            #expect(answer.status != 0 && answer.output.isEmpty, "\(arguments)")
        }
    }

    /// A program that names a host alone may go there over http.
    @Test func keyringGetsNothingForAnotherMachineWithoutHTTPS() async throws {
        try sandbox.write(
            """
            [profiles.index]
            match = ["https://pypi.example.com/"]
            [profiles.index.basic]
            username = "alice"
            password-env = "PASSWORD"
            """, to: "config/httpc/config.toml")
        for text in ["pypi.example.com", "pypi.example.com:443", "pypi.example.com/simple/"] {
            let answer = try await keyring("get", text, "alice")
            #expect(answer.status == 67 && answer.output.isEmpty, "\(text)")
            #expect(answer.errors.contains("pypi.example.com alone, and may send it in clear"), "\(answer.errors)")
        }
        for text in ["http://pypi.example.com/simple/", "other.example.com"] {
            let answer = try await keyring("get", text, "alice")
            #expect(answer.status != 0 && answer.output.isEmpty, "\(text)")
        }
        #expect(try await keyring("get", "https://pypi.example.com/simple/", "alice").text == "wonderland\n")
        // Docker's programs choose TLS themselves, and name registries by their hosts only.
        #expect(try members(try await docker("get", "pypi.example.com"))["Secret"] == "wonderland")
    }

    @Test func keyringGetsATokenForAnyName() async throws {
        try install(OAuth2Profile.table("client-credentials", landscape))
        let token = try await keyring("get", host, "anybody").text
        #expect(token.count > 1)
        #expect(try await keyring("get", "--mode", "creds", host).text == "oauth2\n" + token)
    }
}
