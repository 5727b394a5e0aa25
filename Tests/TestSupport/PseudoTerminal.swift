import Foundation
import NIOPosix  // brings in the C module that `termios` belongs to
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The user's side of a pseudo-terminal.
public final class PseudoTerminal: Sendable {
    public struct Failure: Error {}

    /// The path that the program opens.
    public let path: String
    private let master: Int32
    /// Kept open, so that settings survive when the program closes its own descriptors.
    private let slave: Int32
    private let seen = Mutex<(text: [UInt8], searched: Int)>(([], 0))

    public init() throws {
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        path = try Self.unlock(master)
        slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0, fcntl(master, F_SETFL, O_NONBLOCK) == 0 else { throw Failure() }
    }

    deinit {
        close(slave)
        close(master)
    }

    /// - Returns: the path of the other side
    private static func unlock(_ master: Int32) throws -> String {
        #if canImport(Darwin)
        guard grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else { throw Failure() }
        return String(cString: name)
        #else
        // TIOCSPTLCK and TIOCGPTN: Glibc's module has no unlockpt.
        var (locked, number) = (Int32(0), UInt32(0))
        guard ioctl(master, 0x4004_5431, &locked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            throw Failure()
        }
        return "/dev/pts/\(number)"
        #endif
    }

    public var hasEcho: Bool { settings & tcflag_t(ECHO) != 0 }
    public var raisesSignals: Bool { settings & tcflag_t(ISIG) != 0 }

    private var settings: tcflag_t {
        var settings = termios()
        tcgetattr(slave, &settings)
        return settings.c_lflag
    }

    /// The output so far.
    public var output: String {
        drain()
        return seen.withLock { String(decoding: $0.text, as: UTF8.self) }
    }

    /// Sets the width in columns.
    public func resize(columns: Int) throws {
        var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(slave, UInt(TIOCSWINSZ), &size) == 0 else { throw Failure() }
    }

    /// Stops the program's output, or lets it go on.
    public func stop(_ isStopped: Bool) throws {
        guard tcflow(slave, isStopped ? TCOOFF : TCOON) == 0 else { throw Failure() }
    }

    public func type(_ text: String) throws {
        let bytes = Array(text.utf8)
        guard write(master, bytes, bytes.count) == bytes.count else { throw Failure() }
    }

    /// Returns as soon as the text is shown, after the text of the last wait.
    ///
    /// - Parameter hasEnded: whether the program can show nothing more
    /// - Throws: ``Failure`` if the text is not there at the program's end
    public func waitFor(_ text: String, unless hasEnded: () -> Bool = { false }) async throws {
        while true {
            let isLast = hasEnded()
            drain()
            let isThere = seen.withLock { seen in
                guard let range = Data(seen.text).range(of: Data(text.utf8), in: seen.searched..<seen.text.count)
                else { return false }
                seen.searched = range.upperBound
                return true
            }
            if isThere { return }
            guard !isLast else { throw Failure() }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private func drain() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(master, &buffer, buffer.count)
            guard count > 0 else { return }
            seen.withLock { $0.text += buffer.prefix(count) }
        }
    }
}
