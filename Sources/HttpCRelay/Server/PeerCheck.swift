import HttpConvPlatform
import HttpConvSystem
import NIOCore
import NIOPosix
import Synchronization

/// Checks the users of clients. Connections that come together share one reading of the kernel's tables, which takes
/// long on a machine with many connections.
final class PeerCheck: Sendable {
    /// The client belongs to another user.
    struct ForeignClient: Error {}

    private struct Waiting: Sendable {
        let client: PeerUser.Endpoint?
        let server: PeerUser.Endpoint?
        let promise: EventLoopPromise<Void>
    }

    private struct State {
        var waiting: [Waiting] = []
        var isReading = false
    }

    private let state = Mutex(State())
    private let owner: UInt32
    private let notices: RefusalNotices

    /// - Parameter owner: the user whose clients are admitted
    init(_ notices: RefusalNotices, owner: UInt32 = geteuid()) {
        self.owner = owner
        self.notices = notices
    }

    /// Fails for a client of another user.
    func admit(_ channel: any Channel) -> EventLoopFuture<Void> {
        admit(channel.remoteAddress, at: channel.localAddress, on: channel.eventLoop)
    }

    /// Fails for a client of another user.
    ///
    /// - Parameters:
    ///   - client: the client's address and port
    ///   - server: this process's address and port of the connection
    func admit(
        _ client: SocketAddress?, at server: SocketAddress?, on eventLoop: any EventLoop
    ) -> EventLoopFuture<Void> {
        let client = PeerUser.Endpoint(ipAddress: client?.ipAddress, port: client?.port)
        let server = PeerUser.Endpoint(ipAddress: server?.ipAddress, port: server?.port)
        let promise = eventLoop.makePromise(of: Void.self)
        let isFirst = state.withLock { state in
            state.waiting.append(Waiting(client: client, server: server, promise: promise))
            defer { state.isReading = true }
            return !state.isReading
        }
        if isFirst { NIOThreadPool.singleton.submit { _ in self.read() } }
        return promise.futureResult
    }

    /// Reads the tables until no connection waits.
    private func read() {
        while true {
            let batch = state.withLock { state in
                defer { state.waiting = [] }
                state.isReading = !state.waiting.isEmpty
                return state.waiting
            }
            if batch.isEmpty { return }
            decide(batch)
        }
    }

    private func decide(_ batch: [Waiting]) {
        var unknown = batch
        // Twice: a row may be left out while others come and go.
        for _ in 0..<2 where !unknown.isEmpty {
            let tables = PeerUser.readTables()
            unknown = unknown.filter { waiting in
                guard let user = PeerUser.user(of: waiting.client, at: waiting.server, in: tables) else { return true }
                if user == owner {
                    waiting.promise.succeed()
                } else {
                    notices.refused(user: user)
                    waiting.promise.fail(ForeignClient())
                }
                return false
            }
        }
        for waiting in unknown { waiting.promise.fail(ForeignClient()) }
    }
}
