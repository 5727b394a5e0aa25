#if os(Linux)
import Foundation
import Glibc
import TestSupport
import Testing

/// An X server without a screen.
struct VirtualDisplay {
    /// The value of `DISPLAY`.
    let name: String

    /// Starts a server on a free display, and runs the body with it.
    static func with<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (VirtualDisplay) async throws -> Result
    ) async throws -> Result {
        let file = TemporaryPlace.unused("display")
        defer { try? FileManager.default.removeItem(at: file) }
        let server = try ChildProcess(
            "/usr/bin/Xvfb", ["-displayfd", "1", "-screen", "0", "800x800x24", "-nolisten", "tcp"],
            environment: Program.environment, output: .file(file.path(percentEncoded: false)))
        do {
            var number = ""
            while !number.hasSuffix("\n") {
                try await Task.sleep(for: .milliseconds(10))
                number = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            }
            let result = try await body(VirtualDisplay(name: ":" + number.trimmingCharacters(in: .newlines)))
            await stop(server)
            return result
        } catch {
            await stop(server)
            throw error
        }
    }

    private static func stop(_ server: ChildProcess) async {
        server.signal(SIGTERM)
        _ = await server.status
    }
}
#endif
