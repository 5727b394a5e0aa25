import Foundation
import Synchronization

/// Finds what a cancelled exchange has left: objects that somebody still keeps (a task that goes on, a continuation that
/// nobody resumes), and sockets to a port.
final class Leftovers: Sendable {
    private typealias Watched = (name: String, isAlive: @Sendable () -> Bool)

    private let watched = Mutex<[Watched]>([])
    private let port: Int
    private let before: Set<String>

    /// - Parameter port: the server's; what is open to it by now does not count
    init(port: Int) {
        self.port = port
        before = Self.sockets(to: port)
    }

    /// From now on an object counts for as long as it lives.
    @discardableResult
    func watch<Object: AnyObject & Sendable>(_ object: Object, as name: String) -> Object {
        watched.withLock { $0.append((name, { [weak object] in object != nil })) }
        return object
    }

    /// Sockets to the port that are open.
    var socketCount: Int { Self.sockets(to: port).subtracting(before).count }

    /// What is there at this moment.
    var now: [String] {
        let objects = watched.withLock { $0 }.filter { $0.isAlive() }.map(\.name)
        return objects + Array(repeating: "socket", count: socketCount)
    }

    /// Nothing, as soon as nothing is left; what still is after a while.
    func names(within limit: Duration = .seconds(5)) async -> [String] {
        let end = ContinuousClock.now + limit
        while !now.isEmpty, ContinuousClock.now < end {
            // A condition that nothing tells of: polled.
            try? await Task.sleep(for: .milliseconds(5))
        }
        return now
    }

    /// The inodes of this machine's open sockets whose other end is a port. Linux only; elsewhere none are found.
    private static func sockets(to port: Int) -> Set<String> {
        let suffix = ":" + String(port, radix: 16, uppercase: true).leftPadded(to: 4)
        var found: Set<String> = []
        for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
            for line in read(table).split(separator: "\n").dropFirst() {
                let columns = line.split(separator: " ")
                // A socket that no process has open any more has no inode.
                guard columns.count > 9, columns[2].hasSuffix(suffix), columns[9] != "0" else { continue }
                found.insert(String(columns[9]))
            }
        }
        return found
    }
}

extension Leftovers {
    /// A file of the system's, which comes in pieces and has no size.
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

/// Something to be found where it is kept.
final class Canary: Sendable {}
