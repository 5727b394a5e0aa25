/// Runs a program to its end and takes what it prints. Its output is in no file and in no argument.
///
/// The program has no terminal and none of this process's descriptors; its messages are dropped.
package enum ProgramOutput {
    /// The reason why there is no output.
    package enum Failure: Error, Equatable {
        case notStarted
        /// It ended with this status, or by a signal: 128 + its number.
        case status(Int32)
        /// It printed more than the limit.
        case tooLong
        /// It did not end in time.
        case timedOut
    }
}

#if os(Linux)
import Dispatch
import HttpConvPlatform
import Synchronization

extension ProgramOutput {
    /// The output of a program that ends with status 0.
    ///
    /// - Parameters:
    ///   - executable: an absolute path
    ///   - limit: the maximum output in bytes; above it, the program is killed with its processes
    ///   - time: the time limit; then it is killed with its processes
    /// - Throws: ``Failure``; `CancellationError` after killing it, if the task is cancelled
    package static func read(
        _ executable: String, _ arguments: [String], environment: [String: String], limit: Int, within time: Duration
    ) async throws -> [UInt8] {
        let end = ContinuousClock.now + time
        var pipe: [Int32] = [-1, -1]
        guard makePipe(&pipe) == 0 else { throw Failure.notStarted }
        // Programs that start meanwhile close inherited descriptors anyway (SpawnedProcess).
        for descriptor in pipe { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        let process: SpawnedProcess
        do {
            defer { close(pipe[1]) }
            // A session of its own, so that a question on our terminal fails at once instead of stopping the program.
            process = try SpawnedProcess(
                executable, arguments, environment: environment,
                terminal: .init(path: "/dev/null", isControlling: false), output: pipe[1])
        } catch {
            close(pipe[0])
            throw Failure.notStarted
        }
        let reader = Reader(descriptor: pipe[0], limit: limit, end: end)
        let watch = Task {
            _ = await process.status
            reader.programHasEnded()
        }
        defer { watch.cancel() }
        do {
            let output = try await reader.read()
            guard await process.hasEnded(within: end - .now) else {
                try Task.checkCancellation()
                throw Failure.timedOut
            }
            let status = await process.status
            guard status == 0 else { throw Failure.status(status) }
            return output
        } catch {
            if !reader.isProgramOver { process.signalGroup(SIGKILL) }
            _ = await process.status
            throw error
        }
    }

    private static func makePipe(_ ends: inout [Int32]) -> Int32 { pipe(&ends) }

    /// Reads a pipe on a thread of its own.
    private final class Reader: Sendable {
        private let descriptor: Int32
        private let limit: Int
        private let end: ContinuousClock.Instant
        private let isOver = Atomic<Bool>(false)
        private let isCancelled = Atomic<Bool>(false)

        init(descriptor: Int32, limit: Int, end: ContinuousClock.Instant) {
            self.descriptor = descriptor
            self.limit = limit
            self.end = end
        }

        deinit { close(descriptor) }

        var isProgramOver: Bool { isOver.load(ordering: .acquiring) }
        func programHasEnded() { isOver.store(true, ordering: .releasing) }

        func read() async throws -> [UInt8] {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    DispatchQueue(label: "output").async { [self] in continuation.resume(with: Result { try wait() }) }
                }
            } onCancel: {
                isCancelled.store(true, ordering: .releasing)
            }
        }

        private func wait() throws -> [UInt8] {
            var output: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                if isCancelled.load(ordering: .acquiring) { throw CancellationError() }
                guard ContinuousClock.now < end else { throw Failure.timedOut }
                let wasOver = isProgramOver
                var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard poll(&entry, 1, 50) > 0 else {
                    // A process that it left behind may keep the pipe open.
                    if wasOver { return output }
                    continue
                }
                let count = buffer.withUnsafeMutableBytes { SystemCalls.read(descriptor, $0) }
                guard count > 0 else { return output }
                output += buffer.prefix(count)
                guard output.count <= limit else { throw Failure.tooLong }
            }
        }
    }
}
#endif
