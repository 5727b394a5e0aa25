import Foundation

/// Runs programs to their end, with a time limit and without proxies.
enum Program {
    struct Outcome: Sendable {
        let status: Int32
        let bytes: [UInt8]
        let errors: String

        var output: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// - Parameter seconds: after which the program is killed (status 124)
    static func run(
        _ executable: String, _ arguments: [String], input: [UInt8] = [], environment extra: [String: String] = [:],
        seconds: Int = 40
    ) async throws -> Outcome {
        let folder = URL(filePath: "/tmp").appending(
            path: "httpc-run-\(ProcessInfo.processInfo.processIdentifier)-\(UInt64.random(in: 0...UInt64.max))")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        // Files rather than pipes: nobody has to read while the program runs.
        func file(_ name: String, _ contents: [UInt8]) throws -> URL {
            let url = folder.appending(path: name)
            try Data(contents).write(to: url)
            return url
        }
        let (output, errors) = (try file("out", []), try file("err", []))
        let source = try FileHandle(forReadingFrom: try file("in", input))
        let child = try ChildProcess(
            ["/usr/bin/timeout", "-k", "2", String(seconds), executable] + arguments,
            environment: environment().merging(extra) { $1 }, input: source.fileDescriptor, output: output,
            errors: errors)
        let status = await child.end()
        try source.close()
        return Outcome(
            status: status, bytes: Array(try Data(contentsOf: output)),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
    }

    /// Ours without anything that sends loopback traffic elsewhere.
    static func environment() -> [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.lowercased().hasSuffix("_proxy") }
    }

    /// The `httpc` that was built together with these tests.
    static func httpc(
        _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:]
    ) async throws -> Outcome {
        try await run(try httpcPath(), arguments, input: input, environment: environment)
    }

    private static func httpcPath() throws -> String {
        let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let candidates = [
            URL(filePath: executable).deletingLastPathComponent(), Bundle.main.bundleURL,
            Bundle.main.bundleURL.deletingLastPathComponent(),
        ].map { $0.appending(path: "httpc").path }
        guard let found = candidates.first(where: FileManager.default.isExecutableFile(atPath:)) else {
            throw SetupFailure("httpc is not beside the tests (\(candidates[0])): run swift build first")
        }
        return found
    }
}
