import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// `httpc credential git`, by the lines that git and its helpers exchange.
@Suite(.landscape, .timeLimit(.minutes(1))) struct GitCredentialTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private func git(_ action: String, _ lines: [String], _ options: String...) async throws -> RunningCommand.Outcome {
        try await sandbox.httpc(
            ["credential", "git", action] + options, environment: OAuth2Profile.secrets,
            input: lines.map { "\($0)\n" }.joined() + "\n")
    }

    private func place(_ path: String = "api/repo.git") throws -> [String] {
        let url = try #require(URL(string: landscape.urlString(.main, "/")))
        let port = try #require(url.port)
        return ["protocol=http", "host=127.0.0.1:\(port)", "path=\(path)"]
    }

    /// The values that an answer gives to a name.
    private func values(_ name: String, _ outcome: RunningCommand.Outcome) -> [String] {
        outcome.text.split(separator: "\n").filter { $0.hasPrefix("\(name)=") }.map {
            String($0.dropFirst(name.count + 1))
        }
    }

    private static let capabilities = ["capability[]=authtype", "capability[]=state"]

    /// The transcript of git 2.46 and later, from git-credential(1).
    @Test func newGitGetsABearerToken() async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        let answer = try await git(
            "get", Self.capabilities + place() + ["wwwauth[]=Basic realm=\"a\"", "wwwauth[]=Bearer realm=\"b\""])
        #expect(answer.status == 0 && answer.errors.isEmpty, "\(answer.errors)")
        let token = try #require(values("credential", answer).first)
        let end = try #require(values("password_expiry_utc", answer).first.flatMap { Double($0) })
        #expect(Date(timeIntervalSince1970: end) > .now)
        #expect(
            answer.text == """
                capability[]=authtype
                authtype=Bearer
                credential=\(token)
                ephemeral=1
                password_expiry_utc=\(Int(end))

                """)
        let used = try await sandbox.httpc(
            "-f", "--config", "/dev/null", "-H", "Authorization: Bearer \(token)",
            landscape.urlString(.main, "/api/1"))
        #expect(used.status == 0, "\(used.errors)")
    }

    @Test(arguments: [[], Self.capabilities + ["wwwauth[]=Basic realm=\"a\""]])
    func othersGetTheTokenAsAPassword(lines: [String]) async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        let answer = try await git("get", lines + place())
        #expect(answer.status == 0, "\(answer.errors)")
        #expect(values("username", answer) == ["alice"])
        #expect(values("authtype", answer).isEmpty && values("password", answer).count == 1)
        // The token says whose it is, whatever name goes with it.
        let named = try await git("get", lines + place() + ["username=oauth2"])
        #expect(values("username", named) == ["oauth2"])
        #expect(values("password", named) == values("password", answer))
        #expect(landscape.oauthCounters.tokenRequests == 1)
    }

    /// Only the token that was refused is replaced, and by a refresh.
    @Test func anErasedTokenIsNotUsedAgain() async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        func token() async throws -> String {
            try #require(values("password", try await git("get", try place())).first)
        }
        let first = try await token()
        for lines in [["password=another"], ["authtype=Bearer", "credential=another"]] {
            #expect(try await git("erase", place() + lines).status == 0)
            #expect(try await token() == first)
        }
        #expect(try await git("erase", Self.capabilities + place() + ["credential=\(first)"]).status == 0)
        let second = try await token()
        #expect(second != first)
        #expect(landscape.oauthCounters.refreshes == 1)
        #expect(try await git("erase", place()).status == 0)
        #expect(try await token() != second)
        #expect(landscape.oauthCounters.grants["password"] == 1)
    }

    /// Without a refresh token the client logs in anew.
    @Test func anErasedTokenWithoutARefreshTokenIsReplaced() async throws {
        try OAuth2Profile.install("client-credentials", landscape, in: sandbox)
        let first = values("password", try await git("get", try place()))
        #expect(first.count == 1)
        #expect(try await git("erase", place() + ["password=\(first[0])"]).status == 0)
        let second = values("password", try await git("get", try place()))
        #expect(second.count == 1 && second != first)
        #expect(landscape.oauthCounters.tokenRequests == 2)
    }

    @Test func aPasswordIsForItsUser() async throws {
        try sandbox.write(
            """
            [profiles.work]
            match = ["\(landscape.urlString(.main, "/api"))"]
            [profiles.work.basic]
            username = "alice"
            password-env = "PASSWORD"
            """, to: "config/httpc/config.toml")
        for lines in [[], Self.capabilities, ["username=alice"]] {
            let answer = try await git("get", lines + place())
            #expect(answer.status == 0, "\(answer.errors)")
            #expect(answer.text == "username=alice\npassword=wonderland\n")
        }
        #expect(try await git("get", place() + ["username=bob"]).output.isEmpty)
        #expect(try await git("erase", place() + ["username=alice", "password=wonderland"]).status == 0)
        #expect(try await git("get", place()).text.contains("password=wonderland"), "a profile's password stays")
        // git asks for a password that a person types.
        try sandbox.write(
            """
            [profiles.work]
            match = ["\(landscape.urlString(.main, "/api"))"]
            [profiles.work.basic]
            username = "alice"
            """, to: "config/httpc/config.toml")
        #expect(try await git("get", place()).text == "username=alice\n")
    }

    @Test func nothingOutsideTheMatch() async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        let inside = try place()
        for lines in [
            [inside[0], inside[1]], try place("other/repo.git"), try place("api/../other"), try place("apis"),
            try place("api/%2e%2e/other"), try place("api/..;/other"), try place("other/../api/x"),
            try place("other/%2e%2e/api/x"), try place("other/.%2e/api/x"), try place("/api/x"),
            ["protocol=https"] + inside[1...], [inside[0], "host=127.0.0.1:1", inside[2]],
            [inside[0], "host=localhost" + inside[1].dropFirst("host=127.0.0.1".count), inside[2]],
            ["protocol=smtp"] + inside[1...], [inside[0], inside[2]], [],
        ] {
            let answer = try await git("get", Self.capabilities + lines)
            #expect(answer.status == 0 && answer.output.isEmpty && answer.errors.isEmpty, "\(lines) \(answer.errors)")
        }
        #expect(landscape.oauthCounters.tokenRequests == 0)
        #expect(try await git("get", place()).output.isEmpty == false)
    }

    @Test func refusesWhatGitDoesNotWrite() async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        let inside = try place()
        for lines in [
            ["protocol=http", "host=evil.example"] + inside, inside + [inside[1]],
            [inside[0], inside[1] + "\r", inside[2]], [inside[0], inside[1] + "\0", inside[2]],
            [inside[0], "host=evil.example@" + inside[1].dropFirst(5), inside[2]],
            [inside[0], "host=evil.example/" + inside[1].dropFirst(5), inside[2]],
            [inside[0], inside[1] + "%0a", inside[2]], [inside[0], inside[1] + "#", inside[2]],
            [inside[0], "host=", inside[2]], ["protocol"] + inside,
            [inside[0], inside[1], "path=" + String(repeating: "a/", count: 5000)],
        ] {
            let answer = try await git("get", lines)
            #expect(answer.status == 2 && answer.output.isEmpty, "\(lines)")
        }
        let long = try await git("get", inside + ["other=" + String(repeating: "a", count: 70_000)])
        #expect(long.status == 26 && long.output.isEmpty)
        #expect(landscape.oauthCounters.tokenRequests == 0)
    }

    /// Otherwise git would ask for a password that there is not.
    @Test func gitIsToldToQuitWithoutALogin() async throws {
        try OAuth2Profile.install("code", landscape, in: sandbox)
        let answer = try await git("get", place())
        #expect(answer.status == 67)
        #expect(answer.text == "quit=1\n")
        #expect(answer.errors.contains("httpc login --profile work"), "\(answer.errors)")
    }

    @Test func ignoresWhatGitMayAskOtherHelpers() async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox)
        for action in ["store", "capability", "later"] {
            let answer = try await git(action, place() + ["username=alice", "password=x"])
            #expect(answer.status == 0 && answer.output.isEmpty && answer.errors.isEmpty)
        }
    }

    @Test func profileIsTheOnlyOneThatCounts() async throws {
        try OAuth2Profile.install("password", landscape, in: sandbox, "[profiles.other.basic]\nusername = \"bob\"")
        #expect(try await git("get", place(), "--profile", "other").output.isEmpty, "it has no match")
        #expect(try await git("get", place(), "--profile", "none").status == 2)
        #expect(try await git("get", place(), "--profile", "work").output.isEmpty == false)
    }
}
