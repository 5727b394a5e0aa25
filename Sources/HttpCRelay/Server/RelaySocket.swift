import HttpC
import HttpCTerminal
import HttpConvPlatform
import NIOCore
import NIOPosix

/// The file of a Unix socket. It is made in a private directory and gets its name when only its owner can open it.
struct RelaySocket: Sendable {
    let path: String
    /// The path that is listened on first.
    let draft: String
    private let directory: String
    /// The device and number of the file, once it has its name.
    private var identity: (dev_t, ino_t)?

    /// The length that all systems permit for a socket's path.
    private static let longestPath = 100

    init(_ path: String) throws(CommandFailure) {
        self.path = path
        let place = path.parentPath
        let pattern = (place.isEmpty ? "." : place) + "/.httpc-XXXXXX"
        guard pattern.utf8.count + 2 <= Self.longestPath, path.utf8.count <= Self.longestPath else {
            throw CommandFailure(
                .usage,
                "--socket: the absolute path of a socket has at most \(Self.longestPath) bytes: \(TerminalText.sanitise(path)) is too long."
            )
        }
        var bytes = Array(pattern.utf8CString)
        guard mkdtemp(&bytes) != nil else {
            throw CommandFailure(
                .outputFailed,
                "Cannot make a socket beside \"\(TerminalText.sanitise(path))\": \(Posix.reason(errno)).")
        }
        directory = String(decoding: bytes.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        draft = directory + "/s"
    }

    /// Fails if there is a file other than a socket that nobody listens on.
    func requireUnused() async throws(CommandFailure) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        let shown = "\"\(TerminalText.sanitise(path))\""
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw CommandFailure(.outputFailed, "\(shown) exists and must be a socket. Choose another --socket.")
        }
        let other = try? await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(unixDomainSocketPath: path).get()
        guard let other else { return }
        try? await other.close()
        throw CommandFailure(.connectionFailed, "Another program listens on \(shown). Choose another --socket.")
    }

    /// Gives the socket its permissions and then its name.
    mutating func place() throws(CommandFailure) {
        var status = stat()
        guard chmod(draft, 0o600) == 0, lstat(draft, &status) == 0, rename(draft, path) == 0 else {
            throw CommandFailure(
                .outputFailed, "Cannot make the socket \"\(TerminalText.sanitise(path))\": \(Posix.reason(errno)).")
        }
        identity = (status.st_dev, status.st_ino)
        rmdir(directory)
    }

    /// Removes the files of a socket without a name.
    func discard() {
        unlink(draft)
        rmdir(directory)
    }

    /// Removes the socket, unless another file has its name by now, such as the socket of a later relay. Call it before
    /// the socket is closed: until then no other file can have its number.
    func remove() {
        var status = stat()
        guard let identity, lstat(path, &status) == 0, (status.st_dev, status.st_ino) == identity else { return }
        unlink(path)
    }
}
