import Dispatch
import Foundation
import HttpC
import Synchronization

/// Ends the command in an orderly way: on Ctrl-C, SIGTERM, SIGHUP, or when --max-time is over.
///
/// The terminal gets its echo back, the running work is cancelled, and where that does not end it soon, the process ends.
final class Interruption: Sendable {
    private struct State {
        var status: Int32?
        /// The status of an interruption that is on its way.
        var raised: Int32?
        /// Whether SIGINT is ours: whoever started us may have it ignored.
        var hearsInterrupts = false
        /// A SIGINT of our own comes back to us.
        var awaitsOwnSignal = false
        var cancel: (@Sendable () -> Void)?
        /// How long the work may take to end itself, in seconds.
        var patience = 2.0
    }

    /// What the process is ended by; one for the process, as signals are.
    static let shared = Interruption()

    private let state = Mutex(State())
    /// Kept alive for the life of the process; confined to the queue.
    nonisolated(unsafe) private var sources: [any DispatchSourceProtocol] = []
    private let queue = DispatchQueue(label: "interruption")

    /// The exit status that an interruption asks for, once there was one.
    var status: Int32? { state.withLock { $0.status ?? $0.raised } }

    /// Whether the time limit ran out.
    var isTimeOver: Bool { status == ExitStatus.timedOut.rawValue }

    /// Takes the signals over from their defaults. What whoever started us has ignored stays so: `nohup`, and jobs in a
    /// script's background.
    func listen() {
        signal(SIGPIPE, SIG_IGN)
        for number in [SIGINT, SIGTERM, SIGHUP] where !Self.ignore(number) {
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [self] in
                if number != SIGINT || !isOurOwn() { interrupt(128 + number) }
            }
            source.resume()
            queue.sync { sources.append(source) }
            if number == SIGINT { state.withLock { $0.hearsInterrupts = true } }
        }
    }

    /// - Returns: whether it was already
    private static func ignore(_ number: Int32) -> Bool {
        unsafeBitCast(signal(number, SIG_IGN), to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Ends the work, and tells everybody else in the foreground, as the terminal does at Ctrl-C. Who answers a question with
    /// Ctrl-C means the command, also where the signal is ignored.
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

    /// Ends the work after that many seconds of wall clock.
    ///
    /// - Parameter isSilent: whether nothing is said where the work does not end by itself
    func limit(seconds: Double, isSilent: Bool) {
        let farewell = isSilent ? nil : "httpc: (28) \(RequestRun.timeIsOver)"
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + seconds)
        timer.setEventHandler { [self] in interrupt(ExitStatus.timedOut.rawValue, farewell: farewell) }
        timer.resume()
        queue.sync { sources.append(timer) }
    }

    /// Runs work that an interruption cancels; returns when nothing of its logins is left.
    func cancelling<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        let task = Task { await work() }
        let isLate = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.status != nil
        }
        if isLate { task.cancel() }
        let value = await task.value
        await ActiveLogins.shared.end()
        return value
    }

    /// Lets the work take longer to end, where it has more to take away.
    func allowTime(seconds: Double) { state.withLock { $0.patience = max($0.patience, seconds) } }

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
