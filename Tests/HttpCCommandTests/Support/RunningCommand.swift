import Foundation
import Synchronization
import TestSupport

/// The built executable, running in a sandbox.
final class RunningCommand: Sendable {
    /// The result of a run.
    struct Outcome: Sendable {
        /// The exit status; 128 + number for a signal.
        let status: Int32
        let output: Data
        let errors: String
        var text: String { String(decoding: output, as: UTF8.self) }
    }

    private let child: ChildProcess
    private let outputPath: String
    private let errorPath: String
    private let input: FileHandle?
    private let hasEnded = Atomic<Bool>(false)
    var identifier: Int32 { child.identifier }

    /// Starts the command.
    ///
    /// - Parameters:
    ///   - input: standard input; empty by default
    ///   - outputPath: the file of standard output; by default one that is read at the end
    ///   - outputPipe: the pipe of standard output, instead of a file
    init(
        _ arguments: [String], in sandbox: Sandbox, program: String = BuiltProduct.httpc,
        environment: [String: String] = [:], input: Pipe? = nil, outputPath: String? = nil, outputPipe: Pipe? = nil
    ) throws {
        let name = UUID().uuidString
        self.input = input?.fileHandleForWriting
        self.outputPath = outputPath ?? sandbox.path("\(name).out")
        errorPath = sandbox.path("\(name).err")
        if outputPath == nil { _ = FileManager.default.createFile(atPath: self.outputPath, contents: nil) }
        _ = FileManager.default.createFile(atPath: errorPath, contents: nil)
        child = try ChildProcess(
            program, arguments, environment: sandbox.environment.merging(environment) { $1 },
            directory: sandbox.path(""),
            input: input.map { .descriptor($0.fileHandleForReading.fileDescriptor) } ?? .null,
            output: outputPipe.map { .descriptor($0.fileHandleForWriting.fileDescriptor) } ?? .file(self.outputPath),
            errors: .file(errorPath))
        try input?.fileHandleForReading.close()
        try outputPipe?.fileHandleForWriting.close()
    }

    /// Starts a line of the shell on a terminal that `script` provides.
    convenience init(onTerminal line: String, in sandbox: Sandbox, environment: [String: String] = [:]) throws {
        try self.init(
            ["-qec", line, "/dev/null"], in: sandbox, program: "/usr/bin/script",
            environment: environment.merging(["SHELL": "/bin/sh"]) { $1 }, input: Pipe())
    }

    /// Starts the command with no terminal to ask on.
    convenience init(
        withoutTerminal arguments: [String], in sandbox: Sandbox, environment: [String: String] = [:]
    ) throws {
        try self.init(
            ["-w", BuiltProduct.httpc] + arguments, in: sandbox, program: "/usr/bin/setsid", environment: environment)
    }

    /// Kills the process if a test failed half-way.
    deinit { if !hasEnded.load(ordering: .acquiring) { child.signal(SIGKILL) } }

    func signal(_ number: Int32) { child.signal(number) }

    /// The standard output so far.
    var outputSoFar: String {
        String(decoding: FileManager.default.contents(atPath: outputPath) ?? Data(), as: UTF8.self)
    }

    /// The standard error so far.
    var errorsSoFar: String {
        String(decoding: FileManager.default.contents(atPath: errorPath) ?? Data(), as: UTF8.self)
    }

    /// Waits until standard output contains a text. It polls, as there is nothing to wait on.
    func waitForOutput(_ text: String) async throws {
        while !outputSoFar.contains(text) { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Writes to standard input.
    func type(_ text: String) throws { try input?.write(contentsOf: Data(text.utf8)) }

    /// Waits for a question, and types the answer and a line end.
    func answer(_ question: String, _ text: String) async throws {
        try await waitForOutput(question)
        try type("\(text)\n")
    }

    /// Waits until standard output contains a text, closes standard input, and waits for the command's end.
    func outcome(after text: String) async throws -> Outcome {
        try await waitForOutput(text)
        try input?.close()
        return await outcome()
    }

    /// Waits for the command's end. A test's time limit kills the command.
    func outcome() async -> Outcome {
        let status = await withTaskCancellationHandler {
            await child.status
        } onCancel: {
            signal(SIGKILL)
        }
        hasEnded.store(true, ordering: .releasing)
        let errors = FileManager.default.contents(atPath: errorPath) ?? Data()
        let output = outputPath.hasPrefix("/dev/") ? Data() : FileManager.default.contents(atPath: outputPath) ?? Data()
        return Outcome(status: status, output: output, errors: String(decoding: errors, as: UTF8.self))
    }
}

extension Sandbox {
    /// Runs the command to its end.
    func httpc(
        _ arguments: String..., environment: [String: String] = [:], input: String? = nil
    ) async throws -> RunningCommand.Outcome {
        try await httpc(arguments, environment: environment, input: input)
    }

    func httpc(
        _ arguments: [String], environment: [String: String] = [:], input: String? = nil
    ) async throws -> RunningCommand.Outcome {
        let pipe = input.map { _ in Pipe() }
        let command = try RunningCommand(arguments, in: self, environment: environment, input: pipe)
        if let pipe, let input {
            try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try pipe.fileHandleForWriting.close()
        }
        return await command.outcome()
    }

    /// Runs the command with no terminal to ask on.
    func withoutTerminal(
        _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> RunningCommand.Outcome {
        try await withoutTerminal(arguments, environment: environment)
    }

    func withoutTerminal(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> RunningCommand.Outcome {
        try await RunningCommand(withoutTerminal: arguments, in: self, environment: environment).outcome()
    }
}
