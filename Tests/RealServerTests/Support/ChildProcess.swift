import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A started program. Not Foundation's `Process`: starting two of those at once has crashed (Swift 6.3, Linux).
struct ChildProcess: Sendable {
    let id: pid_t

    /// - Parameters:
    ///   - input: the descriptor that becomes standard input
    ///   - output: the file that gets standard output
    ///   - errors: the file that gets standard error; nil: the same as `output`
    init(
        _ command: [String], environment: [String: String], input: Int32, output: URL, errors: URL? = nil
    ) throws {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output.path, flags, 0o644)
        posix_spawn_file_actions_addopen(&actions, 2, (errors ?? output).path, flags, 0o644)
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var id = pid_t()
        let status = posix_spawn(&id, command[0], &actions, nil, &arguments, &variables)
        guard status == 0 else { throw SetupFailure("\(command[0]): \(String(cString: strerror(status)))") }
        self.id = id
    }

    /// Waits for the end, on a thread of its own; to be called once.
    ///
    /// - Returns: the exit status, or 128 and the number of the signal
    func end() async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(id, &status, 0) < 0, errno == EINTR {}
                let signal = status & 0x7F
                continuation.resume(returning: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
            }
        }
    }
}
