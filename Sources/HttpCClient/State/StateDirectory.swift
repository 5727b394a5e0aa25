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
        do throws(StateProblem) {
            return try find(profile: profile, creates: creates, environment: environment)
        } catch { throw error.failure }
    }

    /// As ``open(profile:creates:environment:)``, with the problem for callers that can do without state.
    static func find(
        profile: String, creates: Bool, environment: [String: String]
    ) throws(StateProblem) -> StateDirectory? {
        let directories = Directories(environment)
        guard let base = directories.state else {
            guard creates else { return nil }
            throw StateProblem(
                CommandFailure(
                    .usage, "There is no place for state: set HOME or XDG_STATE_HOME to an absolute path."),
                isNoPlace: true)
        }
        if creates {
            do throws(CommandFailure) { try directories.requireOwnHome(for: base) } catch {
                throw StateProblem(error, isNoPlace: true)
            }
            let (code, place) = SystemCalls.makeDirectories(base.parentPath)
            guard code == 0 else { throw StateProblem(place, code) }
        }
        guard let outer = try StateDirectory(base, at: AT_FDCWD, name: base, creates: creates) else { return nil }
        return try StateDirectory("\(base)/\(profile)", at: outer.descriptor, name: profile, creates: creates)
    }

    private init?(_ path: String, at parent: Int32, name: String, creates: Bool) throws(StateProblem) {
        if creates, mkdirat(parent, name, 0o700) != 0, errno != EEXIST { throw StateProblem(path, errno) }
        descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        self.path = path
        if descriptor < 0 {
            if errno == ENOENT, !creates { return nil }
            guard errno != ELOOP, errno != ENOTDIR else {
                throw StateProblem(Self.failure(path, "it is not a directory"))
            }
            throw StateProblem(path, errno)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid() else {
            throw StateProblem(Self.failure(path, "it belongs to somebody else"))
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

    /// Overwrites a file that holds a secret, and removes it.
    func destroy(_ name: String) {
        let file = openat(descriptor, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if file >= 0 {
            var status = stat()
            if fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
                let count = min(max(Int(status.st_size), 0), 64 << 10)
                _ = SystemCalls.writeAll(file, [UInt8](repeating: 0, count: count))
                fsync(file)
            }
            close(file)
        }
        unlinkat(descriptor, name, 0)
        fsync(descriptor)
    }

    /// The status of a file; nil if there is none.
    func status(_ name: String) -> stat? {
        var status = stat()
        return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// The names in the directory.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

    package static func failure(_ path: String, _ reason: String) -> CommandFailure {
        CommandFailure(.outputFailed, "The state in \(TerminalText.sanitise(path)) cannot be used: \(reason).")
    }
}
