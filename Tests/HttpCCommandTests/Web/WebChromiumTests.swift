import Foundation
import Landscape
import Testing

/// Logins in Chromium, without a window.
@Suite(.timeLimit(.minutes(1)), .serialized, .enabled(if: Browser.isInstalled))
struct WebChromiumTests {
    private func start(_ profile: WebProfile, _ sandbox: Sandbox, _ arguments: String...) throws -> RunningCommand {
        try FileManager.default.createDirectory(atPath: sandbox.path("tmp"), withIntermediateDirectories: false)
        return try RunningCommand(
            ["--headless"] + arguments, in: sandbox,
            environment: WebProfile.environment.merging(["TMPDIR": sandbox.path("tmp")]) { $1 })
    }

    private func leftovers(_ sandbox: Sandbox) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: sandbox.path("tmp"))) ?? []
    }

    /// Processes that have something of the sandbox in their arguments.
    private func processes(_ sandbox: Sandbox) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.count { name in
            let line = Int32(name) == nil ? nil : FileManager.default.contents(atPath: "/proc/\(name)/cmdline")
            return line?.range(of: Data(sandbox.path("tmp/weblogin").utf8)) != nil
        }
    }

    @Test func logsInUnattended() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let profile = try WebProfile(landscape, in: sandbox, tables: WebProfile.answers)
            let outcome = try await start(profile, sandbox, profile.url("/otp/saml-redirect-artifact/x")).outcome()
            #expect(outcome.text.contains("[\"SAML2\",\"OTP\"]"), "\(outcome.errors)")
            #expect(landscape.samlCounters.logins == 1)
            #expect(leftovers(sandbox).isEmpty)
            #expect(processes(sandbox) == 0)
        }
    }

    @Test func controlCLeavesNothing() async throws {
        let sandbox = try Sandbox()
        try await withLandscape { landscape in
            let profile = try WebProfile(landscape, in: sandbox, tables: WebProfile.answers)
            let gate = landscape.holdIdentityProvider()
            let command = try start(profile, sandbox, profile.url("/saml/post-post/x"))
            try await landscape.waitFor(count: 1, path: "/SAMLAuthLauncher")
            #expect(!leftovers(sandbox).isEmpty)
            #expect(processes(sandbox) > 0)
            command.signal(SIGINT)
            let outcome = await command.outcome()
            #expect(outcome.status == 130, "\(outcome.errors)")
            #expect(leftovers(sandbox).isEmpty)
            #expect(processes(sandbox) == 0)
            gate.release()
        }
    }
}

private enum Browser {
    static var isInstalled: Bool {
        ["/usr/bin/chromium", "/usr/bin/google-chrome"].contains { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
