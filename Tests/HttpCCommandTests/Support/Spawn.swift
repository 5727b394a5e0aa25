import Foundation

/// Starts programs with posix_spawn: Foundation's Process crashes now and then where several start at once.
enum Spawn {
    /// What a standard descriptor of the program is.
    enum Stream {
        case path(String)
        case descriptor(Int32)
    }

    /// - Returns: the process id
    static func start(
        _ arguments: [String], environment: [String: String], directory: String, input: Stream, output: Stream,
        errors: Stream
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in [(Int32(0), input), (1, output), (2, errors)] {
            switch stream {
            case .path(let path):
                let flags = number == 0 ? O_RDONLY : O_WRONLY
                posix_spawn_file_actions_addopen(&actions, number, path, flags, 0)
            case .descriptor(let descriptor):
                posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            }
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        // The shell changes the directory and becomes the program: the process id stays.
        let script = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", directory]
        var vector = (script + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in vector + variables { free(pointer) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, script[0], &actions, &attributes, &vector, &variables)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
        return identifier
    }

    /// The exit status once the process has ended; 128 + number where a signal ended it.
    static func status(of identifier: Int32) -> AsyncStream<Int32> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
                let signal = status & 0x7F
                continuation.yield(signal == 0 ? status >> 8 & 0xFF : 128 + signal)
                continuation.finish()
            }
        }
    }
}
