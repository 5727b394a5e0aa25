import HttpConvSystem
import NIOCore
import NIOPosix

/// The users whose programs may bring a login's answer to the listener (security rule S19).
///
/// Every user of the machine can read the login's URL in the process list, and would answer it with a login of his own.
struct ListenerUsers: Sendable {
    /// The client belongs to another user.
    struct ForeignClient: Error {}

    /// Nil if this system does not tell the users of connections.
    private let admitted: Set<UInt32>?

    init(_ admitted: Set<UInt32> = TrustedUsers.all()) { self.admitted = PeerUser.isKnown ? admitted : nil }

    /// Fails for a client of another user.
    func admit(_ channel: any Channel) -> EventLoopFuture<Void> {
        guard let admitted else { return channel.eventLoop.makeSucceededVoidFuture() }
        let client = Self.end(channel.remoteAddress)
        let server = Self.end(channel.localAddress)
        return NIOThreadPool.singleton.runIfActive(eventLoop: channel.eventLoop) {
            // Twice: a row may be left out while others come and go.
            for _ in 0..<2 {
                guard let user = PeerUser.user(of: client, at: server, in: PeerUser.readTables()) else { continue }
                if admitted.contains(user) { return }
                break
            }
            throw ForeignClient()
        }
    }

    private static func end(_ address: SocketAddress?) -> PeerUser.Endpoint? {
        PeerUser.Endpoint(ipAddress: address?.ipAddress, port: address?.port)
    }
}
