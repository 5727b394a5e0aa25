import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// Profiles and their cookies, end to end.
@Suite(.landscape, .timeLimit(.minutes(1))) struct ProfileCommandTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private func configuration(
        _ landscape: Landscape, path: String = "/", password: String = "password = \"wonderland\""
    ) -> String {
        """
        [profiles.work]
        match = ["\(landscape.urlString(.main, path))"]
        [profiles.work.basic]
        username = "alice"
        \(password)
        """
    }

    @Test func answersInsideItsMatchOnly() async throws {
        try sandbox.write(configuration(landscape, path: "/basic/realm1"), to: "config/httpc/config.toml")
        let inside = try await sandbox.httpc(landscape.urlString(.main, "/basic/realm1/page"))
        #expect(inside.text.contains("\"authenticated\""), "\(inside.errors)")
        let outside = try await sandbox.httpc(
            "--profile", "work", landscape.urlString(.main, "/basic/realm12/page"))
        #expect(outside.status == 67)
        #expect(outside.output.isEmpty)
        #expect(outside.errors.contains("outside the match"), "\(outside.errors)")
        let sent = landscape.requests(path: "/basic/realm12/page")
        #expect(sent.count == 1)
        #expect(sent.allSatisfy { $0.values(of: "Authorization").isEmpty })
    }

    @Test(arguments: [
        "password-env = \"WORK_PASSWORD\"", "password-file = \"secret\"",
        "password-command = [\"cat\", \"dir/secret\"]",
    ])
    func passwordComesFromElsewhere(source: String) async throws {
        let config = try sandbox.write(configuration(landscape, password: source), to: "dir/c.toml", mode: 0o644)
        try sandbox.write("wonderland\n", to: "dir/secret")
        let url = landscape.urlString(.main, "/digest/sha256/page")
        let outcome = try await sandbox.httpc(
            ["--config", config, url], environment: ["WORK_PASSWORD": "wonderland"])
        #expect(outcome.text.contains("\"authenticated\""), "\(outcome.errors)")
    }

    /// A line that is too long is refused, and not sent in part.
    @Test func passwordIsNotCut() async throws {
        let config = try sandbox.write(
            configuration(landscape, password: "password-file = \"secret\""), to: "dir/c.toml", mode: 0o644)
        try sandbox.write(String(repeating: "x", count: (64 << 10) + 1), to: "dir/secret")
        let outcome = try await sandbox.httpc(["--config", config, landscape.urlString(.main, "/basic/realm1/long")])
        #expect(outcome.status == 67 && outcome.errors.contains("longer than 65536 bytes"), "\(outcome.errors)")
        #expect(landscape.requests(path: "/basic/realm1/long").allSatisfy { $0.values(of: "Authorization").isEmpty })
    }

    /// An entry of a key ring: GNOME's, on a bus of its own. Then the key ring without that entry. The service is on
    /// the bus before it is asked: the bus would otherwise start a second one, which is locked.
    @Test func passwordComesFromAKeyRing() async throws {
        let url = landscape.urlString(.main, "/basic/realm1/page")
        let config = try sandbox.write(
            configuration(landscape, password: "password-keyring = \"work\""), to: "c.toml")
        let script = """
            printf 'x' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
            gdbus wait --session --timeout 60 org.freedesktop.secrets
            printf wonderland | secret-tool store --label=work service httpc key work
            "$@"
            secret-tool clear service httpc key work
            exec "$@"
            """
        let outcome = try await RunningCommand(
            ["--", "sh", "-c", script, "sh", BuiltProduct.httpc, "--config", config, url], in: sandbox,
            program: "/usr/bin/dbus-run-session"
        ).outcome()
        #expect(outcome.text.contains("\"authenticated\""), "\(outcome.errors)")
        #expect(outcome.status == 67)
        #expect(outcome.errors.contains("has no password of [profiles.work.basic]"), "\(outcome.errors)")
        #expect(outcome.errors.contains("secret-tool store"))
    }

    @Test func expectedLoginThatFailsIs67() async throws {
        let url = landscape.urlString(.main, "/basic/realm1/page")
        let wrong = try sandbox.write(configuration(landscape, password: "password = \"wrong\""), to: "wrong.toml")
        let refused = try await sandbox.httpc("--config", wrong, url)
        #expect(refused.status == 67)
        #expect(refused.output.isEmpty)
        let unset = try sandbox.write(
            configuration(landscape, password: "password-env = \"UNSET\""), to: "unset.toml")
        let missing = try await sandbox.httpc("--config", unset, url)
        #expect(missing.status == 67)
        #expect(missing.errors.contains("UNSET"), "\(missing.errors)")
        #expect(missing.output.isEmpty)
    }

    @Test func readableConfigurationWithPasswordIsRefused() async throws {
        let config = try sandbox.write(configuration(landscape), to: "c.toml", mode: 0o644)
        let outcome = try await sandbox.httpc("--config", config, landscape.urlString(.main, "/json"))
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("chmod 600"))
        #expect(landscape.requests().isEmpty)
    }

    @Test func cookiesAreKeptBetweenCallsAndPrivate() async throws {
        try sandbox.write(
            "[profiles.kept]\nmatch = [\"\(landscape.urlString())\"]\n", to: "config/httpc/config.toml")
        let set = landscape.urlString(.main, "/cookies/set?line=a%3D1%3B%20Max-Age%3D600")
        let answer1 = try await sandbox.httpc(set)
        #expect(answer1.status == 0)
        #expect(sandbox.mode("state/httpc/kept/vault.sqlite") == 0o600)
        #expect(sandbox.mode("state/httpc/kept/vault.key") == 0o600)
        #expect(sandbox.mode("state/httpc/kept") == 0o700)
        let echo = landscape.urlString(.main, "/cookies/echo")
        _ = try await sandbox.httpc(echo)
        #expect(landscape.requests(path: "/cookies/echo").last?.values(of: "Cookie") == ["a=1"])
        // An explicit -u is another person (security rule S16).
        _ = try await sandbox.httpc("-u", "bob:x", echo)
        #expect(landscape.requests(path: "/cookies/echo").last?.values(of: "Cookie") == [])
        let list = try await sandbox.httpc("cookies", "list", "kept")
        #expect(list.text.contains("127.0.0.1"))
        #expect(!list.text.contains("a=1"))
        let answer2 = try await sandbox.httpc("cookies", "clear", "kept")
        #expect(answer2.status == 0)
        _ = try await sandbox.httpc(echo)
        #expect(landscape.requests(path: "/cookies/echo").last?.values(of: "Cookie") == [])
    }

    @Test func withoutProfileNothingIsStored() async throws {
        let set = landscape.urlString(.main, "/cookies/set?line=a%3D1%3B%20Max-Age%3D600")
        let answer3 = try await sandbox.httpc(set)
        #expect(answer3.status == 0)
        #expect(!sandbox.names.contains("state"))
        let answer4 = try await sandbox.httpc("-c", "cookies.txt", set)
        #expect(answer4.status == 0)
        #expect(sandbox.mode("cookies.txt") == 0o600)
        _ = try await sandbox.httpc("-b", "cookies.txt", landscape.urlString(.main, "/cookies/echo"))
        _ = try await sandbox.httpc("-b", "x=y", landscape.urlString(.main, "/cookies/echo"))
        #expect(landscape.requests(path: "/cookies/echo").map { $0.values(of: "Cookie") } == [["a=1"], ["x=y"]])
    }

    @Test func parallelCallsLoseNoCookie() async throws {
        try sandbox.write(
            "[profiles.kept]\nmatch = [\"\(landscape.urlString())\"]\n", to: "config/httpc/config.toml")
        try await withThrowingTaskGroup(of: Int32.self) { group in
            for index in 0..<6 {
                let url = landscape.urlString(.main, "/cookies/set?line=c\(index)%3D1%3B%20Max-Age%3D600")
                group.addTask { try await sandbox.httpc(url).status }
            }
            for try await status in group { #expect(status == 0) }
        }
        let list = try await sandbox.httpc("cookies", "list", "kept")
        for index in 0..<6 { #expect(list.text.contains("c\(index) ")) }
    }
}
