import HttpC
package import HttpCTerminal
import HttpConvPlatform
import HttpConvSystem

/// The logins of a .netrc file, which must belong to the user and be readable by the user alone.
package struct NetrcFile: Sendable {
    let entries: [NetrcEntry]

    /// Reads the file at a path; nil if it is optional and missing.
    package static func load(_ path: String, isOptional: Bool) throws(CommandFailure) -> NetrcFile? {
        guard let bytes = try read(path, isOptional: isOptional) else { return nil }
        return NetrcFile(entries: try NetrcParser.parse(bytes, shownPath: TerminalText.sanitise(path)))
    }

    /// The login for a host: its own, else the default's.
    ///
    /// - Parameters:
    ///   - name: the required user; nil: the first one
    ///   - allowsDefault: whether `default` counts
    func user(for host: String, name: String? = nil, allowsDefault: Bool) -> UserArgument? {
        let own = entries.filter { $0.host == host }
        let usable = (own.isEmpty && allowsDefault ? entries.filter { $0.host == nil } : own).lazy.compactMap(\.user)
        return usable.first { name == nil || $0.name == name }
    }

    /// The login for a typed URL; nil if the URL has its own or the file has none.
    package func user(of url: URLArgument) -> UserArgument? {
        guard url.user?.password == nil else { return nil }
        return user(for: url.target.origin.host, name: url.user?.name, allowsDefault: true)
    }

    /// The maximum size of the file in bytes, as in curl.
    private static let limit = 128 << 10

    /// - Returns: nil if the file is missing and optional
    private static func read(_ path: String, isOptional: Bool) throws(CommandFailure) -> [UInt8]? {
        let shown = TerminalText.sanitise(path)
        // Do not wait for a pipe's writer, and do not make a terminal the controlling one.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            let code = errno
            if code == ENOENT, isOptional { return nil }
            throw CommandFailure(.inputFailed, "Cannot read the logins in \(shown): \(Posix.reason(code)).")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, [S_IFREG, S_IFIFO].contains(status.st_mode & S_IFMT) else {
            throw CommandFailure(.inputFailed, "Cannot read the logins in \(shown): it is not a file.")
        }
        guard status.st_uid == geteuid() else {
            throw CommandFailure(
                .inputFailed, "The logins in \(shown) are not used: the file belongs to another user.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw CommandFailure(.inputFailed, "Others can read the logins in \(shown). Run: chmod 600 \(shown)")
        }
        _ = fcntl(descriptor, F_SETFL, 0)
        guard let bytes = SystemCalls.readToEnd(descriptor, atMost: limit + 1) else {
            throw CommandFailure(.inputFailed, "Cannot read the logins in \(shown).")
        }
        guard bytes.count <= limit else {
            throw CommandFailure(.inputFailed, "The file \(shown) is larger than a .netrc file can be (128 KiB).")
        }
        return bytes
    }
}

/// One login of a .netrc file.
struct NetrcEntry: Sendable {
    /// The host, in the form of an ``Origin``; nil: `default`, for every host.
    let host: String?
    var login: String?
    var password: Redacted<String>?

    /// User name and password, if both are there.
    var user: UserArgument? {
        guard let login, let password else { return nil }
        return UserArgument(name: login, password: password, isFromNetrc: true)
    }
}
