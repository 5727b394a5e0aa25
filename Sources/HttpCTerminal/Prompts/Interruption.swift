import Dispatch
import HttpC
import HttpConvPlatform
import Synchronization

/// Ends the command in an orderly way: on Ctrl-C, SIGTERM, SIGHUP, or when the time of --max-time is over.
///
/// It turns the terminal's echo on, and cancels the running work. If that does not end soon, it ends the process.
package final class Interruption: Sendable {
    private struct State {
        var status: Int32?
        /// The status of an interruption that has begun.
        var raised: Int32?
        /// The signals that the parent process ignores.
        var ignored: [Int32] = []
        /// Whether we handle SIGINT: the parent process may have ignored it.
        var hearsInterrupts = false
        /// Whether our own SIGINT is still to come back to us.
        var awaitsOwnSignal = false
        var cancel: (@Sendable () -> Void)?
        /// The time that the work may take to end, in seconds.
        var patience = 2.0
    }

    /// The message after the time of --max-time.
    package static let timeIsOver = "The time of --max-time is over."

    /// The only instance, because signals belong to the process.
    package static let shared = Interruption()

    private let state = Mutex(State())
    /// Kept alive for the life of the process; confined to the queue.
    nonisolated(unsafe) private var sources: [any DispatchSourceProtocol] = []
    private let queue = DispatchQueue(label: "interruption")

    /// The exit status of an interruption, once there was one.
    package var status: Int32? { state.withLock { $0.status ?? $0.raised } }

    /// The signals among SIGINT, SIGTERM and SIGHUP that the parent process ignores, once ``listen()`` was called.
    package var ignoredSignals: [Int32] { state.withLock(\.ignored) }

    /// Whether the time limit was reached.
    package var isTimeOver: Bool { status == ExitStatus.timedOut.rawValue }

    /// Handles the signals. Signals that the parent process ignores stay ignored, as under `nohup` or in a script's
    /// background job.
    package func listen() {
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            guard !Self.ignore(number) else {
                state.withLock { $0.ignored.append(number) }
                continue
            }
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [self] in
                if number != SIGINT || !isOurOwn() { interrupt(128 + number) }
            }
            source.resume()
            queue.sync { sources.append(source) }
            if number == SIGINT { state.withLock { $0.hearsInterrupts = true } }
        }
    }

    /// Ignores a signal.
    ///
    /// - Returns: whether it was ignored before
    private static func ignore(_ number: Int32) -> Bool {
        unsafeBitCast(signal(number, SIG_IGN), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Ends the work, and interrupts the other processes in the foreground, as the terminal does for Ctrl-C. Ctrl-C at
    /// a question ends the command even if the signal is ignored.
    func raise() {
        state.withLock { state in
            state.raised = 128 + SIGINT
            state.awaitsOwnSignal = state.hearsInterrupts
        }
        kill(0, SIGINT)
        queue.async { [self] in interrupt(128 + SIGINT) }
    }

    private func isOurOwn() -> Bool {
        state.withLock { state in
            defer { state.awaitsOwnSignal = false }
            return state.awaitsOwnSignal
        }
    }

    /// Ends the work after a number of seconds of wall clock.
    ///
    /// - Parameter isSilent: whether no message is printed if the work does not end by itself
    package func limit(seconds: Double, isSilent: Bool) {
        let farewell = isSilent ? nil : "httpc: (28) \(Self.timeIsOver)"
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + seconds)
        timer.setEventHandler { [self] in interrupt(ExitStatus.timedOut.rawValue, farewell: farewell) }
        timer.resume()
        queue.sync { sources.append(timer) }
    }

    /// Waits until the task is cancelled, as an interruption does with running work.
    package static func waitForCancellation() async {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        await withTaskCancellationHandler {
            for await _ in stream {}
        } onCancel: {
            continuation.finish()
        }
    }

    /// Runs work that an interruption cancels.
    package func cancelling<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        let task = Task { await work() }
        let isLate = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.status != nil
        }
        if isLate { task.cancel() }
        return await task.value
    }

    /// Lets the work take longer to end, if it has more to clean up.
    package func allowTime(seconds: Double) { state.withLock { $0.patience = max($0.patience, seconds) } }

    private func interrupt(_ status: Int32, farewell: String? = nil) {
        ControllingTerminal.restore()
        let (isFirst, cancel, patience) = state.withLock { state in
            defer { if state.status == nil { state.status = status } }
            return (state.status == nil, state.cancel, state.patience)
        }
        guard isFirst, let cancel else { _exit(status) }
        cancel()
        queue.asyncAfter(deadline: .now() + patience) {
            if let farewell { Diagnostics.write(farewell) }
            _exit(status)
        }
    }
}
