import Dispatch
import HttpConvAuthFlows
import HttpConvPlatform
import Synchronization

/// Writes lines to a terminal and reads lines from it. The only file that changes a terminal's settings.
package struct TerminalDevice: Sendable {
    private let path: String
    private let onInterrupt: (@Sendable () -> Void)?

    /// The original settings of terminals whose settings are changed now, by descriptor.
    private static let saved = Mutex<[Int32: termios]>([:])
    /// Removes a temporary line.
    private static let momentary = Mutex<(@Sendable () -> Void)?>(nil)
    private static let interrupt: UInt8 = 3
    private static let longestLine = 4096

    /// - Parameters:
    ///   - path: the terminal; the process's own by default
    ///   - onInterrupt: called at Ctrl-C
    package init(path: String = "/dev/tty", onInterrupt: (@Sendable () -> Void)? = nil) {
        self.path = path
        self.onInterrupt = onInterrupt
    }

    /// Whether a question is being asked. Temporary lines are hidden meanwhile.
    package static var isAsking: Bool { saved.withLock { !$0.isEmpty } }

    /// Sets the function that removes a temporary line, such as a spinner. It is called before anything is written.
    package static func erase(by erase: (@Sendable () -> Void)?) { momentary.withLock { $0 = erase } }

    package var isThere: Bool {
        guard let descriptor = try? open() else { return false }
        close(descriptor)
        return true
    }

    /// Writes text. A peer's text must be sanitised before.
    package func write(_ text: String) async throws {
        try await onThread { try Self.writeAll($0, text, $1) }
    }

    /// Asks for one line.
    ///
    /// - Throws: ``WebLoginError/Code/cancelled`` at Ctrl-C, Ctrl-D or hang-up
    package func ask(_ prompt: String, isSecret: Bool) async throws -> String {
        try await onThread { try readLine(prompt, $0, isSecret, $1) }
    }

    /// Runs on its own thread: waiting for a person, or for a terminal that was stopped by Ctrl-S, must not block a
    /// thread of the concurrency pool.
    private func onThread<Result: Sendable>(
        _ work: @escaping @Sendable (Int32, Flag) throws -> Result
    ) async throws -> Result {
        let descriptor = try open()
        defer { close(descriptor) }
        let isCancelled = Flag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue(label: "terminal").async {
                    continuation.resume(with: Swift.Result { try work(descriptor, isCancelled) })
                }
            }
        } onCancel: {
            isCancelled.value.store(true, ordering: .releasing)
        }
    }

    private func readLine(_ prompt: String, _ descriptor: Int32, _ isSecret: Bool, _ isCancelled: Flag) throws -> String
    {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { throw failure("has no settings") }
        var asking = settings
        // Ctrl-C arrives as a byte that ends the line, so that no signal can leave echo off.
        asking.c_lflag |= tcflag_t(ICANON)
        asking.c_lflag &= ~tcflag_t(ISIG)
        withUnsafeMutableBytes(of: &asking.c_cc) { $0[Int(VEOL)] = Self.interrupt }
        // Backspace removes a whole character. Terminals of containers remove only its last byte otherwise, which nobody
        // sees in a password.
        asking.c_iflag |= tcflag_t(IUTF8)
        if isSecret { asking.c_lflag &= ~tcflag_t(ECHO) }
        Self.saved.withLock { $0[descriptor] = settings }
        defer { Self.restore(only: descriptor) }
        // Text that was typed before the question must not answer it.
        if isSecret { tcflush(descriptor, TCIFLUSH) }
        tcsetattr(descriptor, TCSANOW, &asking)
        try Self.writeAll(descriptor, prompt, isCancelled)
        defer { if isSecret { try? Self.writeAll(descriptor, "\n", isCancelled) } }
        return try line(descriptor, isCancelled)
    }

    /// Restores the settings of a terminal, or of all terminals if none is named.
    static func restore(only descriptor: Int32? = nil) {
        saved.withLock { saved in
            for (key, settings) in saved where descriptor == nil || key == descriptor {
                var settings = settings
                tcsetattr(key, TCSANOW, &settings)
                saved[key] = nil
            }
        }
    }

    private func line(_ descriptor: Int32, _ isCancelled: Flag) throws -> String {
        var line: [UInt8] = []
        while true {
            if isCancelled.value.load(ordering: .acquiring) { throw CancellationError() }
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 50) > 0 else { continue }
            var byte: UInt8 = 0
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { throw cancelled }
            switch byte {
            case 10, 13: return String(decoding: line, as: UTF8.self)
            case Self.interrupt:
                onInterrupt?()
                throw cancelled
            default: if line.count < Self.longestLine { line.append(byte) }
            }
        }
    }

    private var cancelled: WebLoginError { WebLoginError(.cancelled, "The login was cancelled at the terminal.") }

    private func open() throws(WebLoginError) -> Int32 {
        let descriptor = HttpConvPlatform.open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("cannot be opened") }
        return descriptor
    }

    private func failure(_ why: String) -> WebLoginError {
        WebLoginError(
            .noStrategy, "The terminal \(why): there is nobody to ask. Prepare answers for logins that nobody attends.")
    }

    private static func writeAll(_ descriptor: Int32, _ text: String, _ isCancelled: Flag) throws {
        momentary.withLock { $0 }?()
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            if isCancelled.value.load(ordering: .acquiring) { throw CancellationError() }
            let count = rest.withUnsafeBytes { HttpConvPlatform.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, 50)
                continue
            }
            guard count > 0 else { throw WebLoginError(.cancelled, "The terminal was closed.") }
            rest = rest.dropFirst(count)
        }
    }

    private final class Flag: Sendable {
        let value = Atomic<Bool>(false)
    }
}
