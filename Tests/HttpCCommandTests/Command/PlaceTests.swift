import Foundation
import LandscapeSupport
import TestLandscape
import TestSupport
import Testing

@testable import HttpCClient

/// Places for configuration and state that are missing, cannot be reached, or are another user's.
@Suite(.landscape, .timeLimit(.minutes(1))) struct PlaceTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private var echo: String { landscape.urlString(.main, "/cookies/echo") }
    private var set: String { landscape.urlString(.main, "/cookies/set?line=a%3D1%3B%20Max-Age%3D600") }

    /// Runs the command without the right of root to read everything.
    private func plain(_ arguments: String...) async throws -> RunningCommand.Outcome { try await plain(arguments) }

    private func plain(_ arguments: [String]) async throws -> RunningCommand.Outcome {
        guard geteuid() == 0 else { return try await sandbox.httpc(arguments) }
        let rights = "-dac_override,-dac_read_search"
        return try await RunningCommand(
            ["--bounding-set", rights, "--inh-caps", rights, BuiltProduct.httpc] + arguments, in: sandbox,
            program: "/usr/bin/setpriv"
        ).outcome()
    }

    // MARK: The configuration

    /// Without its profiles, a request would go out without their proxy and authorities.
    @Test(arguments: ["a dangling link", "a loop", "a closed folder", "a dangling folder"])
    func aConfigurationThatCannotBeReachedIsAnError(what: String) async throws {
        let folder = sandbox.path("config/httpc")
        let path = try sandbox.write("", to: "config/httpc/config.toml")
        #expect(try await plain(echo).status == 0)
        #expect(landscape.count(path: "/cookies/echo") == 1)
        switch what {
        case "a closed folder": #expect(chmod(folder, 0) == 0)
        case "a dangling folder":
            try FileManager.default.removeItem(atPath: folder)
            #expect(symlink("/nowhere/httpc", folder) == 0)
        default:
            unlink(path)
            #expect(symlink(what == "a loop" ? "config.toml" : "/nowhere/config.toml", path) == 0)
        }
        for arguments in [[echo], ["config", "check"], ["profiles"], ["login", "--profile", "p"]] {
            let outcome = try await plain(arguments)
            #expect(outcome.status == 2, "\(outcome.errors)")
            #expect(outcome.errors.contains("Cannot read the configuration"), "\(outcome.errors)")
        }
        chmod(folder, 0o700)
        #expect(landscape.count(path: "/cookies/echo") == 1)
    }

    @Test func aMissingConfigurationIsNone() async throws {
        #expect(try await plain(echo).status == 0)
        #expect(try await plain("config", "check").status == 0)
    }

    /// Accounts without a home often have `/dev/null`.
    @Test func aHomeThatIsNoDirectoryIsNone() async throws {
        let environment = ["HOME": "/dev/null", "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": ""]
        let outcome = try await sandbox.httpc([echo], environment: environment)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    }

    @Test func aCookieFileThatCannotBeReachedIsAnError() async throws {
        #expect(try await plain("-b", "none", echo).status == 0)
        #expect(symlink("loop", sandbox.path("loop")) == 0)
        #expect(symlink("/nowhere/jar", sandbox.path("dangling")) == 0)
        for name in ["loop", "dangling"] {
            let outcome = try await plain("-b", name, echo)
            #expect(outcome.status == 26, "\(outcome.errors)")
        }
        #expect(landscape.count(path: "/cookies/echo") == 1)
    }

    /// The number of comparisons does not grow with the square of the number of profiles.
    @Test func aLongConfigurationIsCheckedFast() throws {
        func seconds(_ count: Int) throws -> Double {
            var lines = (0..<count).map { profile in
                let matches = (0..<20).map { "\"https://h\(profile * 20 + $0)/\"" }.joined(separator: ", ")
                return "[profiles.p\(profile)]\nmatch = [\(matches)]\n"
            }
            lines.append("[profiles.q]\nmatch = [\"https://h9/a\", \"https://h8/\"]\n")
            let path = try sandbox.write(lines.joined(), to: "long.toml")
            return try ThreadTime.measure {
                let check = try ConfigurationCheck(path)
                #expect(check.profileCount == count + 1)
                #expect(check.findings.map(\.isMistake) == [false, true])
            } / .seconds(1)
        }
        let few = try (0..<3).map { _ in try seconds(240) }.min() ?? 0
        let ratio = try min(seconds(1920), seconds(1920)) / few
        // 8 if it grows as the number does, over 30 with the comparisons of all pairs.
        #expect(ratio < 20, "\(ratio)")
    }

    // MARK: Another user's home

    /// `sudo` may leave HOME as it is. Its owner could not use what root creates there.
    @Test func rootMakesNothingInTheHomeOfAnotherUser() async throws {
        #if os(Linux)
        let home = sandbox.path("home")
        #expect(mkdir(home, 0o755) == 0)
        // Without root, the test is root in a namespace, where the owner of /usr is another user.
        let isRoot = geteuid() == 0
        if isRoot { #expect(chown(home, 65534, 65534) == 0) }
        let place = isRoot ? home : "/usr"
        let environment = ["HOME": place, "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": "", "PW": "wonderland"]
        func run(_ arguments: String...) async throws -> RunningCommand.Outcome {
            try await RunningCommand(
                (isRoot ? [] : ["-r"]) + [BuiltProduct.httpc] + arguments, in: sandbox,
                program: isRoot ? "/usr/bin/env" : "/usr/bin/unshare", environment: environment
            ).outcome()
        }
        let initial = try await run(
            "init", "--yes", "-u", "alice", "--password-env", "PW",
            landscape.urlString(.main, "/basic/realm1/"))
        #expect(initial.status == 23 && initial.errors.contains("sudo -H"), "\(initial.errors)")
        let config = try sandbox.write(
            "[profiles.p]\nmatch = [\"\(landscape.urlString())\"]\n", to: "own.toml")
        // A request can do without state.
        let outcome = try await run("--config", config, set)
        #expect(outcome.status == 0 && outcome.errors.contains("sudo -H"), "\(outcome.errors)")
        // On a terminal it would record that the hint about the password was shown.
        let line = "'\(BuiltProduct.httpc)' -u alice:wonderland '\(landscape.urlString(.main, "/basic/realm1/x"))'"
        let hinted = try await RunningCommand(
            onTerminal: (isRoot ? "" : "unshare -r ") + line, in: sandbox, environment: environment
        ).outcome()
        #expect(hinted.status == 0 && hinted.text.contains("alice"), "\(hinted.text)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: home).isEmpty)
        #endif
    }

    // MARK: No place for state

    /// The answer comes, and one warning at most, wherever something would be kept.
    @Test(arguments: ["none", "read-only"], ["basic", "client-credentials", "jwt-bearer", "cookie", "web"])
    func aRequestGoesOnWithoutAPlaceForState(place: String, kind: String) async throws {
        var secrets = OAuth2Profile.secrets.merging(WebProfile.environment) { one, _ in one }
        let api = landscape.urlString(.main, "/api/1")
        var url = api
        switch kind {
        case "basic":
            url = landscape.urlString(.main, "/basic/realm1/x")
            try sandbox.write(
                "[profiles.work]\nmatch = [\"\(url)\"]\n[profiles.work.basic]\nusername = \"alice\"\n"
                    + "password-env = \"PASSWORD\"\n", to: "config/httpc/config.toml")
        case "client-credentials": try OAuth2Profile.install(kind, landscape, in: sandbox)
        case "jwt-bearer":
            secrets["SECRET"] = "service-secret"
            try sandbox.write(landscape.certificates.assertionKeyPEM, to: "config/httpc/key.pem")
            try sandbox.write(
                """
                [profiles.work]
                match = ["\(landscape.urlString(.main, "/api"))"]
                [profiles.work.oauth2]
                issuer = "\(landscape.issuer())"
                client-id = "service"
                client-secret-env = "SECRET"
                grant = "jwt-bearer"
                assertion-key = "key.pem"
                assertion-key-id = "signer-1"
                assertion-issuer = "signer"
                username = "alice"
                """, to: "config/httpc/config.toml")
        case "cookie":
            url = set
            try sandbox.write(
                "[profiles.work]\nmatch = [\"\(landscape.urlString())\"]\n", to: "config/httpc/config.toml")
        default:
            let profile = try WebProfile(
                landscape, in: sandbox, "web = \"terminal\"",
                tables: WebProfile.answers.replacing("passcode = { totp-env = \"TOTP\" }\n", with: ""))
            url = profile.url("/saml/post-post/x")
        }
        let outcome: RunningCommand.Outcome
        if place == "none" {
            let words = ["-u", "HOME", "-u", "XDG_STATE_HOME", BuiltProduct.httpc, url]
            outcome = try await RunningCommand(
                words, in: sandbox, program: "/usr/bin/env", environment: secrets
            ).outcome()
        } else {
            #expect(mkdir(sandbox.path("state"), 0o700) == 0)
            let script = "mount --bind state state\nmount -o remount,bind,ro state\nexec \"$@\""
            outcome = try await RunningCommand(
                [geteuid() == 0 ? "-m" : "-rm", "sh", "-ec", script, "sh", BuiltProduct.httpc, url], in: sandbox,
                program: "/usr/bin/unshare", environment: secrets
            ).outcome()
        }
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(kind == "cookie" || !outcome.output.isEmpty)
        let warnings = outcome.errors.components(separatedBy: "Warning:").count - 1
        #expect(warnings == (kind == "basic" ? 0 : 1), "\(outcome.errors)")
    }
}
