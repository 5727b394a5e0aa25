public import Foundation

/// Runs programs to their end.
public enum Program {
    /// The exit status and the output of a program.
    public struct Outcome: Sendable {
        /// The exit status, or 128 + the number of a signal.
        public let status: Int32
        /// Standard output.
        public let output: Data
        /// Standard error.
        public let errors: String
        /// Standard output as text.
        public var text: String { String(decoding: output, as: UTF8.self) }
    }

    /// The environment of this process, without variables that would send loopback traffic through a proxy.
    public static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { !$0.key.lowercased().hasSuffix("_proxy") }
    }

    /// Runs a program with its output in files, so that it never waits for a reader.
    ///
    /// - Parameter input: its standard input
    public static func run(
        _ executable: String, _ arguments: [String], input: Data? = nil, environment: [String: String] = environment
    ) async throws -> Outcome {
        let folder = try TemporaryPlace.folder("program")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = { (name: String) in folder.appending(path: name).path(percentEncoded: false) }
        if let input { try input.write(to: URL(filePath: path("in"))) }
        let child = try ChildProcess(
            executable, arguments, environment: environment,
            input: input == nil ? .null : .file(path("in")), output: .file(path("out")), errors: .file(path("err")))
        let status = await withTaskCancellationHandler {
            await child.status
        } onCancel: {
            child.signal(SIGKILL)
        }
        return Outcome(
            status: status, output: try Data(contentsOf: URL(filePath: path("out"))),
            errors: String(decoding: try Data(contentsOf: URL(filePath: path("err"))), as: UTF8.self))
    }
}
