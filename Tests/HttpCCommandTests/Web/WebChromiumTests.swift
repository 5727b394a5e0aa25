import Foundation
import LandscapeSupport
import Testing

/// Logins in Chromium, without a window.
@Suite(.landscape, .timeLimit(.minutes(1)), .serialized, .enabled(if: Browser.isInstalled))
struct WebChromiumTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    /// A directory for temporary files. Its path is short, because Chromium's sockets are below it, and socket paths
    /// are limited.
    private final class Place: Sendable {
        let path = "/tmp/httpc-web-\(UInt32.random(in: 0 ... .max))"

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

        /// The number of processes with the path in their arguments.
        var processes: Int {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
            return names.count { name in
                let line = Int32(name) == nil ? nil : FileManager.default.contents(atPath: "/proc/\(name)/cmdline")
                return line?.range(of: Data(path.utf8)) != nil
            }
        }
    }

    private func start(_ sandbox: Sandbox, _ place: Place, _ url: String) throws -> RunningCommand {
        try RunningCommand(
            ["--headless", url], in: sandbox,
            environment: WebProfile.environment.merging(["TMPDIR": place.path]) { $1 })
    }

    @Test func logsInUnattended() async throws {
        let place = try Place()
        let profile = try WebProfile(landscape, in: sandbox, tables: WebProfile.answers)
        let outcome = try await start(sandbox, place, profile.url("/otp/saml-redirect-artifact/x")).outcome()
        #expect(outcome.text.contains("[\"SAML2\",\"OTP\"]"), "\(outcome.errors)")
        #expect(landscape.samlCounters.logins == 1)
        #expect(place.names.isEmpty)
        #expect(place.processes == 0)
    }

    /// The terminal cannot use a form that a script makes. The viewer that worked is written.
    @Test(arguments: [
        ("form-refused-script", ["-u", "alice", "--password-env", "PASSWORD"], []),
        ("form-script", ["-u", "alice", "--password-env", "PASSWORD"], []),
        ("form-refused-script", ["--answer", "user=alice", "--answer-env", "password=PASSWORD"], []),
        ("form-refused", ["-u", "alice", "--password-env", "PASSWORD"], ["--headless"]),
    ])
    func initTriesABrowser(site: String, login: [String], options: [String]) async throws {
        let place = try Place()
        let environment = WebProfile.environment.merging(["TMPDIR": place.path, "PASSWORD": "wonderland"]) { $1 }
        let url = landscape.urlString(.main, "/site/\(site)/x")
        let outcome = try await sandbox.withoutTerminal(
            ["init", url, "--yes"] + login + options, environment: environment)
        #expect(outcome.status == 0 && outcome.errors.contains("From now on:"), "\(outcome.errors)")
        let written = String(decoding: sandbox.read("config/httpc/config.toml") ?? Data(), as: UTF8.self)
        #expect(written.contains("web = \"headless\""), "\(written)")
        #expect(landscape.siteCounters.logins == 1 && landscape.siteCounters.refusals == 0)
        landscape.expireSiteSessions()
        let used = try await sandbox.withoutTerminal(url, environment: environment)
        #expect(used.status == 0 && used.text.contains("\"authenticated\""), "\(used.errors) \(used.text)")
        #expect(place.names.isEmpty && place.processes == 0)
    }

    /// A display that does not answer: the terminal takes the login if the profile names it, or names nothing.
    @Test(arguments: [
        ("web = [\"chromium\", \"terminal\"]\n", true), ("web = \"chromium\"\n", false),
    ])
    func aWindowThatCannotBeOpened(web: String, isTaken: Bool) async throws {
        let place = try Place()
        let profile = try WebProfile(landscape, in: sandbox, web, tables: WebProfile.answers)
        let outcome = try await RunningCommand(
            [profile.url("/saml/post-post/x")], in: sandbox,
            environment: WebProfile.environment.merging(["TMPDIR": place.path, "DISPLAY": ":54321"]) { $1 }
        ).outcome()
        #expect(outcome.status == (isTaken ? 0 : 67), "\(outcome.errors)")
        #expect(outcome.errors.contains("a browser window shows the SAML2 login"), "\(outcome.errors)")
        #expect(outcome.errors.contains("The login goes on in the terminal") == isTaken, "\(outcome.errors)")
        #expect(outcome.errors.contains("web = [\"chromium\", \"terminal\"]") == !isTaken, "\(outcome.errors)")
        #expect(landscape.samlCounters.logins == (isTaken ? 1 : 0))
        #expect(place.names.isEmpty && place.processes == 0)
    }

    @Test func temporaryFilesMayLieDeep() async throws {
        let deep = sandbox.path(String(repeating: "deep", count: 20))
        try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
        let profile = try WebProfile(landscape, in: sandbox, tables: WebProfile.answers)
        let outcome = try await RunningCommand(
            ["--headless", profile.url("/saml/post-post/x")], in: sandbox,
            environment: WebProfile.environment.merging(["TMPDIR": deep]) { $1 }
        ).outcome()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(landscape.samlCounters.logins == 1)
    }

    @Test func controlCLeavesNothing() async throws {
        let place = try Place()
        let profile = try WebProfile(landscape, in: sandbox, tables: WebProfile.answers)
        let gate = landscape.holdIdentityProvider()
        let command = try start(sandbox, place, profile.url("/saml/post-post/x"))
        try await landscape.waitFor(count: 1, path: "/SAMLAuthLauncher")
        #expect(!place.names.isEmpty)
        #expect(place.processes > 0)
        command.signal(SIGINT)
        let outcome = await command.outcome()
        #expect(outcome.status == 130, "\(outcome.errors)")
        #expect(place.names.isEmpty)
        #expect(place.processes == 0)
        gate.release()
    }
}

enum Browser {
    static var isInstalled: Bool {
        ["/usr/bin/chromium", "/usr/bin/google-chrome"].contains { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
