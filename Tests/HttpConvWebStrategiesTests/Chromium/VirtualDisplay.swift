#if os(Linux)
import Foundation
import Glibc
import TestSupport
import Testing

/// An X server without a screen.
struct VirtualDisplay {
    /// The value of `DISPLAY`.
    let name: String
    private let server: ChildProcess

    /// Starts a server on a free display, and runs the body with it.
    static func with<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: (VirtualDisplay) async throws -> Result
    ) async throws -> Result {
        let file = FileManager.default.temporaryDirectory.appending(path: "display-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let server = try ChildProcess(
            "/usr/bin/Xvfb", ["-displayfd", "1", "-screen", "0", "800x800x24", "-nolisten", "tcp"],
            environment: Program.environment, output: .file(file.path(percentEncoded: false)))
        var number = ""
        while !number.hasSuffix("\n") {
            number = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            await Task.yield()
        }
        let display = VirtualDisplay(name: ":" + number.trimmingCharacters(in: .newlines), server: server)
        do {
            let result = try await body(display)
            await display.stop()
            return result
        } catch {
            await display.stop()
            throw error
        }
    }

    private func stop() async {
        server.signal(SIGTERM)
        _ = await server.status
    }
}
#endif
