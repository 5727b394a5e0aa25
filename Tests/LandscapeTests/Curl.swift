import Foundation

/// The system's curl: a client that we did not write.
struct Curl {
    let exitCode: Int32
    let output: Data
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }

    /// The output as a JSON object.
    func json() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: output) as? [String: Any] ?? [:]
    }

    /// Runs `curl -q -sS --max-time 20 ARGUMENTS`, without proxies and configuration files.
    static func run(_ arguments: [String]) async throws -> Curl {
        let directory = FileManager.default.temporaryDirectory.appending(path: "curl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (output, errors) = (directory.appending(path: "out"), directory.appending(path: "err"))
        for file in [output, errors] { try Data().write(to: file) }

        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/curl")
        process.arguments = ["-q", "-sS", "--max-time", "20"] + arguments
        process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        return Curl(
            exitCode: process.terminationStatus, output: try Data(contentsOf: output),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }

    static func run(_ arguments: String...) async throws -> Curl {
        try await run(arguments)
    }

    /// The status of the last response, and nothing else.
    static func status(_ arguments: String...) async throws -> Int {
        Int(try await run(["-o", "/dev/null", "-w", "%{http_code}"] + arguments).text) ?? -1
    }
}

/// A temporary directory with a file in it, removed with the last reference.
final class TemporaryFile: Sendable {
    let url: URL
    var path: String { url.path(percentEncoded: false) }

    init(_ name: String = "file", contents: Data? = nil) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "landscape-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        url = directory.appending(path: name)
        if let contents { try contents.write(to: url) }
    }

    deinit {
        try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    }
}
