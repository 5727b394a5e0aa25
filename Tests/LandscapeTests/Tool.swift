import Foundation
import Synchronization

/// Runs a program of the system to its end.
struct Tool {
    /// Foundation's `Process.run()` has crashed when called on two threads at once (Swift 6.3, Linux).
    private static let starting = Mutex(())

    let exitCode: Int32
    let output: Data
    let errors: String

    static func run(_ path: String, _ arguments: [String], input: URL? = nil) async throws -> Tool {
        let directory = FileManager.default.temporaryDirectory.appending(path: "tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (output, errors) = (directory.appending(path: "out"), directory.appending(path: "err"))
        for file in [output, errors] { try Data().write(to: file) }

        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
        process.standardInput = try input.map { try FileHandle(forReadingFrom: $0) } ?? .nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try starting.withLock { _ in try process.run() } } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        return Tool(
            exitCode: process.terminationStatus, output: try Data(contentsOf: output),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }
}
