import Foundation
import HttpC
import Synchronization

/// Asks a person for a password on the controlling terminal, whatever standard input and output are.
enum ControllingTerminal {
    /// What the terminal was set to before its echo was switched off.
    private static let saved = Mutex<(descriptor: Int32, settings: termios)?>(nil)

    /// Gives the terminal its echo back; called on every way out.
    static func restore() {
        saved.withLock { saved in
            guard let (descriptor, settings) = saved else { return }
            var previous = settings
            tcsetattr(descriptor, TCSANOW, &previous)
            saved = nil
        }
    }

    /// Asks without echo.
    ///
    /// - Parameter prompt: our own words first, text from a peer sanitised
    /// - Returns: nil where there is no terminal
    static func askPassword(_ prompt: String) async throws -> Redacted<String>? {
        let descriptor = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let isCancelled = CancellationFlag()
        return try await withTaskCancellationHandler {
            // A thread of its own: waiting for a person must not hold one of the concurrency pool.
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(with: Result { try ask(prompt, descriptor, isCancelled) })
                }
            }
        } onCancel: {
            isCancelled.set()
        }
    }

    private static func ask(
        _ prompt: String, _ descriptor: Int32, _ isCancelled: CancellationFlag
    ) throws -> Redacted<String> {
        silence(descriptor)
        defer { restore() }
        _ = Posix.writeAll(descriptor, Array(prompt.utf8))
        defer { _ = Posix.writeAll(descriptor, [10]) }
        var line: [UInt8] = []
        while true {
            if isCancelled.isSet { throw CancellationError() }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 50) > 0 else { continue }
            var byte: UInt8 = 0
            let count = Posix.read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw CancellationError() }
            if byte == 10 || byte == 13 { return Redacted(String(decoding: line, as: UTF8.self)) }
            line.append(byte)
        }
    }

    private static func silence(_ descriptor: Int32) {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return }
        saved.withLock { $0 = (descriptor, settings) }
        settings.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(descriptor, TCSAFLUSH, &settings)
    }
}

/// Set once, read by a thread that waits.
private final class CancellationFlag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}
