import Foundation
import Synchronization

/// Finds leftovers of a cancelled exchange: objects that are still referenced (by a running task or a continuation that
/// was never resumed), and sockets to a port.
final class Leftovers: Sendable {
    private typealias Watched = (name: String, isAlive: @Sendable () -> Bool)

    private let watched = Mutex<[Watched]>([])
    private let port: Int
    private let before: Set<String>

    /// - Parameter port: the server's port; connections that are open now do not count
    init(port: Int) {
        self.port = port
        before = Self.sockets(to: port)
    }

    /// Watches an object: it counts as a leftover while it lives.
    @discardableResult
    func watch<Object: AnyObject & Sendable>(_ object: Object, as name: String) -> Object {
        watched.withLock { $0.append((name, { [weak object] in object != nil })) }
        return object
    }

    /// The number of open sockets to the port.
    var socketCount: Int { Self.sockets(to: port).subtracting(before).count }

    /// The current leftovers.
    var now: [String] {
        let objects = watched.withLock { $0 }.filter { $0.isAlive() }.map(\.name)
        return objects + Array(repeating: "socket", count: socketCount)
    }

    /// Waits until there are no leftovers. Returns those that remain after the limit.
    func names(within limit: Duration = .seconds(5)) async -> [String] {
        let end = ContinuousClock.now + limit
        while !now.isEmpty, ContinuousClock.now < end {
            // There is no event for this condition, so it is polled.
            try? await Task.sleep(for: .milliseconds(5))
        }
        return now
    }

    /// The inodes of this machine's open sockets whose other end is a port. Linux only; empty elsewhere.
    private static func sockets(to port: Int) -> Set<String> {
        let suffix = ":" + String(port, radix: 16, uppercase: true).leftPadded(to: 4)
        var found: Set<String> = []
        for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
            for line in read(table).split(separator: "\n").dropFirst() {
                let columns = line.split(separator: " ")
                // A socket that is no longer open in any process has no inode.
                guard columns.count > 9, columns[2].hasSuffix(suffix), columns[9] != "0" else { continue }
                found.insert(String(columns[9]))
            }
        }
        return found
    }
}

extension Leftovers {
    /// Reads a system file, which comes in pieces and has no size.
    private static func read(_ path: String) -> String {
        guard let file = FileHandle(forReadingAtPath: path) else { return "" }
        var bytes = Data()
        while let piece = try? file.read(upToCount: 1 << 16), !piece.isEmpty { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    fileprivate func leftPadded(to length: Int) -> String {
        String(repeating: "0", count: max(0, length - count)) + self
    }
}

/// An object that tests look for.
final class Canary: Sendable {}
