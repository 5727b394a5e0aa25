import HttpC
package import HttpCTerminal
import HttpConvPlatform
import HttpConvSystem

/// A directory for state files, which has mode 0700, belongs to the user, and is not a link (security rule S22).
package final class StateDirectory {
    let descriptor: Int32
    package let path: String
    var url: URL { URL(exactPath: path, isDirectory: true) }
    /// The path for messages.
    var shownPath: String { TerminalText.sanitise(path) }

    /// Opens `$XDG_STATE_HOME/httpc/NAME`.
    ///
    /// - Parameter creates: whether a missing directory is created; otherwise it is nil
    package static func open(
        profile: String, creates: Bool, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> StateDirectory? {
        guard let base = Directories(environment).state else {
            throw CommandFailure(.usage, "There is no place for state: set HOME or XDG_STATE_HOME to an absolute path.")
        }
        if creates { makeParents(of: base) }
        guard let outer = try StateDirectory(base, at: AT_FDCWD, name: base, creates: creates) else { return nil }
        return try StateDirectory("\(base)/\(profile)", at: outer.descriptor, name: profile, creates: creates)
    }

    private init?(_ path: String, at parent: Int32, name: String, creates: Bool) throws(CommandFailure) {
        if creates, mkdirat(parent, name, 0o700) != 0, errno != EEXIST { throw Self.failure(path, Posix.reason(errno)) }
        descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        self.path = path
        if descriptor < 0 {
            if errno == ENOENT, !creates { return nil }
            throw Self.failure(path, errno == ELOOP || errno == ENOTDIR ? "it is not a directory" : Posix.reason(errno))
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() else {
            throw Self.failure(path, "it belongs to somebody else")
        }
        if status.st_mode & 0o077 != 0 { fchmod(descriptor, 0o700) }
    }

    /// The names of the profiles that have a directory.
    package static func profiles() -> [String] {
        guard let base = Directories(ProcessInfo.processInfo.environment).state else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
        return names.filter(ProfileName.isValid).filter {
            SystemCalls.isDirectory("\(base)/\($0)")
        }.sorted()
    }

    /// Whether there is a file of this name.
    func contains(_ name: String) -> Bool { faccessat(descriptor, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private static func makeParents(of path: String) {
        let parent = URL(exactPath: path).deletingLastPathComponent()
        try? FileManager.default.createDirectory(
            at: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    package static func failure(_ path: String, _ reason: String) -> CommandFailure {
        CommandFailure(.outputFailed, "The state in \(TerminalText.sanitise(path)) cannot be used: \(reason).")
    }
}
