import Foundation
import Synchronization
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A server process that always dies with the test process: see `Fixtures/supervise.py`.
final class Supervisor: Sendable {
    private let hasEnded = Atomic<Bool>(false)
    private let waiting: Task<Void, Never>
    /// This process's end of the child's standard input.
    private let leash: FileHandle
    private let outputFile: URL

    init(directory: URL, command: [String]) throws {
        outputFile = directory.appending(path: "logs/output.log")
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SetupFailure("no pipe") }
        // No other child may inherit it, because the server would then outlive this process.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        leash = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        defer { close(ends[0]) }
        let child = try ChildProcess(
            "/usr/bin/python3", [Fixture.source("supervise.py").path, directory.path] + command,
            environment: Program.environment, input: .descriptor(ends[0]), output: .file(outputFile.path),
            errors: .file(outputFile.path))
        let (ended, continuation) = AsyncStream<Void>.makeStream()
        waiting = Task { for await _ in ended {} }
        Task { [weak self] in
            _ = await child.status
            self?.hasEnded.store(true, ordering: .releasing)
            continuation.finish()
        }
    }

    var isRunning: Bool { !hasEnded.load(ordering: .acquiring) }

    var output: String { (try? String(contentsOf: outputFile, encoding: .utf8)) ?? "" }

    /// Ends the server and removes its directory.
    func stop() async {
        try? leash.write(contentsOf: Data("q".utf8))
        try? leash.close()
        await waiting.value
    }
}
