import Foundation

/// A server process that dies with the test process, however that ends: see `Fixtures/supervise.py`.
final class Supervisor: Sendable {
    private let process: Process
    private let leash: Pipe
    private let outputFile: URL

    init(directory: URL, command: [String]) throws {
        process = Process()
        leash = Pipe()
        outputFile = directory.appending(path: "logs/output.log")
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [Fixture.source("supervise.py").path, directory.path] + command
        process.environment = Program.environment()
        process.standardInput = leash
        try Data().write(to: outputFile)
        let output = try FileHandle(forWritingTo: outputFile)
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    var isRunning: Bool { process.isRunning }

    var output: String { (try? String(contentsOf: outputFile, encoding: .utf8)) ?? "" }

    /// Ends the server and removes its directory.
    func stop() async {
        try? leash.fileHandleForWriting.write(contentsOf: Data("q".utf8))
        try? leash.fileHandleForWriting.close()
        while process.isRunning { try? await Task.sleep(for: .milliseconds(10)) }
    }
}
