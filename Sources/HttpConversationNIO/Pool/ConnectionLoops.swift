import NIOCore
import NIOPosix
import Synchronization

/// The event loops that connections run on, in turn.
final class ConnectionLoops: Sendable {
    /// Half of the process-wide loops: their threads and those of the tasks that wait for responses then have a
    /// processor each. With as many loops as processors, each wakes up for fewer responses, and requests side by side
    /// take a tenth more processor time.
    static let shared = {
        let loops = ConnectionLoops(MultiThreadedEventLoopGroup.singleton)
        return ConnectionLoops(loops.members, used: max(1, loops.members.count / 2))
    }()

    private let members: [any EventLoop]
    private let used: Int
    private let turn = Mutex(0)

    /// The loop for timers.
    var first: any EventLoop { members[0] }

    /// All loops of a group.
    convenience init(_ group: any EventLoopGroup) {
        let members = Array(group.makeIterator())
        self.init(members, used: members.count)
    }

    private init(_ members: [any EventLoop], used: Int) {
        self.members = members
        self.used = used
    }

    /// The loop for the next connection.
    ///
    /// - Parameter wanted: taken if it is a member
    func next(_ wanted: (any EventLoop)?) -> any EventLoop {
        if let wanted, members.contains(where: { $0 === wanted }) { return wanted }
        return turn.withLock { turn in
            defer { turn = (turn + 1) % used }
            return members[turn]
        }
    }
}
