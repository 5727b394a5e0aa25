#if os(Linux)
import Foundation
import Glibc
import TestSupport
import Testing

extension ChromiumTests {
    /// Root runs Chromium without its sandbox, and these tests often run as root.
    @Suite struct SandboxTests {
        /// Runs another test as another user. Without root, all other tests run in the sandbox anyway.
        @Test func aLoginWorksInTheSandbox() async throws {
            guard geteuid() == 0 else { return }
            let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            var environment = Program.environment
            environment["HOME"] = "/"
            let outcome = try await Program.run(
                "/usr/bin/setpriv",
                [
                    "--reuid=65534", "--regid=65534", "--clear-groups", runner, "--testing-library", "swift-testing",
                    "--filter", "theEndIsSeenBeforeItIsSent",
                ], environment: environment)
            #expect(outcome.status == 0, "\(outcome.text) \(outcome.errors)")
            #expect((outcome.text + outcome.errors).contains("Test theEndIsSeenBeforeItIsSent() passed"))
        }
    }
}
#endif
