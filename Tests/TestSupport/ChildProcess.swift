import Foundation

#if canImport(Glibc)
public import Glibc
#elseif canImport(Darwin)
public import Darwin
#endif

/// A program that runs beside the tests.
///
/// Foundation's `Process` sometimes crashes when several threads start programs at once (Swift 6.3, Linux). Its
/// children also inherit sockets of servers in the test process, which then never close. Here a child gets only its
/// three standard descriptors, and a thread of its own waits for its end.
public final class ChildProcess: Sendable {
    /// The target of a child's standard descriptor.
    public enum Stream: Sendable {
        /// The null device.
        case null
        /// A file.
        case file(String)
        /// An open descriptor of this process, such as a pipe's end or a terminal.
        case descriptor(Int32)
    }

    /// The program could not be started.
    public struct SpawnError: Error, CustomStringConvertible {
        public let description: String
    }

    /// The child's process id.
    public let identifier: pid_t
    private let ended: Task<Int32, Never>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - executable: an absolute path
    ///   - environment: the whole environment of the child
    ///   - directory: its working directory; nil: that of this process
    public init(
        _ executable: String, _ arguments: [String], environment: [String: String],
        directory: String? = nil, input: Stream = .null, output: Stream = .null, errors: Stream = .null
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        Self.connect(input, to: 0, O_RDONLY, &actions)
        Self.connect(output, to: 1, O_WRONLY | O_CREAT | O_APPEND, &actions)
        Self.connect(errors, to: 2, O_WRONLY | O_CREAT | O_APPEND, &actions)
        Self.closeEverythingElse(&actions)
        var attributes = try Self.freshSignals()
        defer { posix_spawnattr_destroy(&attributes) }
        // The shell changes the directory and then becomes the program, so the process id stays.
        let shell = directory.map { ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", $0] } ?? []
        let command = shell + [executable] + arguments
        let words = command.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var identifier = pid_t()
        let status = posix_spawn(&identifier, command[0], &actions, &attributes, words, variables)
        guard status == 0 else {
            throw SpawnError(description: "cannot start \(executable): \(String(cString: strerror(status)))")
        }
        self.identifier = identifier
        ended = Self.reaper(of: identifier)
    }

    /// Its exit status, or 128 + the number of the signal that ended it.
    public var status: Int32 {
        get async { await ended.value }
    }

    /// Sends it a signal.
    public func signal(_ number: Int32) { kill(identifier, number) }

    /// The default actions and masks of all signals, whatever this process ignores or blocks.
    private static func freshSignals() throws -> posix_spawnattr_t {
        var attributes = posix_spawnattr_t()
        guard posix_spawnattr_init(&attributes) == 0 else { throw SpawnError(description: "no attributes for a child") }
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        return attributes
    }

    private static func connect(
        _ stream: Stream, to descriptor: Int32, _ flags: Int32, _ actions: inout posix_spawn_file_actions_t
    ) {
        switch stream {
        case .null: posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        case .file(let path): posix_spawn_file_actions_addopen(&actions, descriptor, path, flags, 0o600)
        case .descriptor(let other): posix_spawn_file_actions_adddup2(&actions, other, descriptor)
        }
    }

    /// Closes all other descriptors. glibc has the call, but its Swift module does not.
    private static func closeEverythingElse(_ actions: inout posix_spawn_file_actions_t) {
        // The call is missing on systems whose children inherit no descriptors by default.
        typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "posix_spawn_file_actions_addclosefrom_np") else { return }
        _ = unsafeBitCast(symbol, to: CloseFrom.self)(&actions, 3)
    }

    /// A thread that waits in `waitpid`, which would block a thread of the concurrency pool.
    private static func reaper(of identifier: pid_t) -> Task<Int32, Never> {
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        let thread = Thread {
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            continuation.yield(signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
            continuation.finish()
        }
        thread.stackSize = 64 << 10
        thread.start()
        return Task {
            for await status in stream { return status }
            return -1
        }
    }
}
