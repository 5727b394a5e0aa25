#if os(Linux)
import Dispatch
import HttpConvPlatform

/// A program in its own process group, without this process's descriptors; or in the foreground.
///
/// Foundation's `Process` is not used: it sometimes crashes when several threads start programs (Swift 6.3, Linux), and
/// its children inherit open descriptors.
package final class SpawnedProcess: Sendable {
    /// The id of the process and of its group.
    package let identifier: Int32
    private let ended: Task<Int32, Never>

    /// The reason why a program could not be started, a sentence.
    package struct Failure: Error {
        package let message: String
    }

    /// A terminal for a program's standard descriptors.
    package struct Terminal: Sendable {
        let path: String
        let isControlling: Bool

        /// - Parameter isControlling: whether it becomes the program's controlling terminal; else the program has none
        package init(path: String, isControlling: Bool) {
            self.path = path
            self.isControlling = isControlling
        }
    }

    /// Starts a program. Its standard descriptors are /dev/null, or a terminal; with a terminal it begins a session.
    /// Its standard output may be another descriptor.
    ///
    /// - Parameters:
    ///   - executable: an absolute path
    ///   - socket: becomes the program's descriptors 3 and 4
    ///   - startsSession: whether it begins a session without a terminal, so that it outlives this one's
    ///   - directory: the working directory; nil: this process's
    ///   - output: becomes the program's standard output; not together with a socket
    /// - Throws: ``Failure``
    package init(
        _ executable: String, _ arguments: [String], environment: [String: String], socket: Int32? = nil,
        terminal: Terminal? = nil, startsSession: Bool = false, directory: String? = nil, output: Int32? = nil
    ) throws(Failure) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // Before the standard descriptors, because the socket might be one of them.
        // Through a high number: dup2 onto itself would keep the close-on-exec flag.
        if let inherited = socket ?? output { posix_spawn_file_actions_adddup2(&actions, inherited, 9) }
        if socket != nil {
            for target in [3, 4] as [Int32] { posix_spawn_file_actions_adddup2(&actions, 9, target) }
        }
        let flags = O_RDWR | (terminal?.isControlling == true ? 0 : O_NOCTTY)
        for descriptor in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(&actions, descriptor, terminal?.path ?? "/dev/null", flags, 0)
        }
        if socket == nil, output != nil {
            posix_spawn_file_actions_adddup2(&actions, 9, 1)
            posix_spawn_file_actions_addclose(&actions, 9)
        }
        Self.closeEverything(from: socket == nil ? 3 : 5, &actions)
        if let directory { try Self.change(to: directory, &actions) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        Self.makeIndependent(&attributes, asSession: terminal != nil || startsSession)
        identifier = try Self.start(executable, arguments, environment, &actions, &attributes)
        ended = Self.reaper(of: identifier)
    }

    /// Starts a program in the foreground: it has this process's standard descriptors, the ``InheritedDescriptors``,
    /// and the process group, so that Ctrl-C in the terminal reaches it.
    ///
    /// - Parameters:
    ///   - executable: an absolute path
    ///   - ignored: signals that this process ignores and the program is to ignore, too, as under `nohup`
    /// - Throws: ``Failure``
    package init(
        inForeground executable: String, _ arguments: [String], environment: [String: String],
        ignoring ignored: [Int32]
    ) throws(Failure) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let inherited = InheritedDescriptors.all
        let end = (inherited.last ?? 2) + 1
        // It succeeds for a number that is not open, too.
        for descriptor in 3..<end where !inherited.contains(descriptor) {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        Self.closeEverything(from: end, &actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        Self.resetSignals(&attributes, besides: ignored)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        identifier = try Self.start(executable, arguments, environment, &actions, &attributes)
        ended = Self.reaper(of: identifier)
    }

    private static func start(
        _ executable: String, _ arguments: [String], _ environment: [String: String],
        _ actions: inout posix_spawn_file_actions_t, _ attributes: inout posix_spawnattr_t
    ) throws(Failure) -> Int32 {
        let words = ([executable] + arguments).map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var identifier = pid_t()
        let status = posix_spawn(&identifier, executable, &actions, &attributes, words, variables)
        guard status == 0 else {
            throw Failure(message: "\(executable) could not be started: \(String(cString: strerror(status))).")
        }
        return identifier
    }

    /// The exit status, or 128 + the number of the signal that ended it. Waits even if the task is cancelled.
    package var status: Int32 {
        get async { await ended.value }
    }

    /// Waits up to a time limit; returns whether the program has ended.
    package func hasEnded(within limit: Duration) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            // The task outlives the group if the process does.
            Task {
                _ = await ended.value
                continuation.finish()
            }
            group.addTask {
                for await _ in stream {}
                return !Task.isCancelled
            }
            group.addTask {
                try? await Task.sleep(for: limit)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    /// Asks the process alone to end (SIGTERM).
    package func terminate() { kill(identifier, SIGTERM) }

    /// Signals every process of the group, also if the first process has ended.
    package func signalGroup(_ number: Int32) { kill(-identifier, number) }

    /// Gives the process its own group, so that Ctrl-C in the terminal does not reach it, and the system's default
    /// signals.
    private static func makeIndependent(_ attributes: inout posix_spawnattr_t, asSession: Bool) {
        // glibc and musl have the same value, which their Swift modules do not export.
        let setSession: Int32 = 0x80
        resetSignals(&attributes)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes,
            Int16(
                POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | (asSession ? setSession : Int32(POSIX_SPAWN_SETPGROUP))
            ))
    }

    /// Gives all signals their default actions, besides some that stay as they are, and blocks none.
    private static func resetSignals(_ attributes: inout posix_spawnattr_t, besides kept: [Int32] = []) {
        var signals = sigset_t()
        sigfillset(&signals)
        for number in kept { sigdelset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
    }

    /// Closes inherited descriptors. glibc has the call, but its Swift module does not export it. Without it,
    /// close-on-exec still applies.
    private static func closeEverything(from first: Int32, _ actions: inout posix_spawn_file_actions_t) {
        typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "posix_spawn_file_actions_addclosefrom_np") else { return }
        _ = unsafeBitCast(symbol, to: CloseFrom.self)(&actions, first)
    }

    private static func change(to directory: String, _ actions: inout posix_spawn_file_actions_t) throws(Failure) {
        typealias Change =
            @convention(c) (
                UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>
            ) -> Int32
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "posix_spawn_file_actions_addchdir_np") else {
            throw Failure(message: "This system cannot start a program in another directory.")
        }
        _ = directory.withCString { unsafeBitCast(symbol, to: Change.self)(&actions, $0) }
    }

    /// A thread that blocks in `waitpid`, which must not block the concurrency pool.
    private static func reaper(of identifier: pid_t) -> Task<Int32, Never> {
        let (stream, continuation) = AsyncStream<Int32>.makeStream()
        DispatchQueue(label: "reaper").async {
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            continuation.yield(signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
            continuation.finish()
        }
        return Task {
            for await status in stream { return status }
            return -1
        }
    }
}
#endif
