import Foundation

/// Runs a program of the system to its end.
struct Tool {
    let exitCode: Int32
    let output: Data
    let errors: String

    static func run(_ path: String, _ arguments: [String], input: URL? = nil) async throws -> Tool {
        let directory = FileManager.default.temporaryDirectory.appending(path: "tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (output, errors) = (directory.appending(path: "out"), directory.appending(path: "err"))
        for file in [output, errors] { try Data().write(to: file) }

        let source = try input.map { try FileHandle(forReadingFrom: $0) } ?? .nullDevice
        let child = try ChildProcess(
            [path] + arguments, environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"],
            input: source.fileDescriptor, output: output, errors: errors)
        let status = await child.end()
        withExtendedLifetime(source) {}
        return Tool(
            exitCode: status, output: try Data(contentsOf: output),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }
}
