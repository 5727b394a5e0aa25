import NIOCore
import NIOPosix

/// Resolves to addresses that were set by hand. Happy Eyeballs tries them like DNS results.
struct GivenResolver: Resolver, Sendable {
    let addresses: [SocketAddress]
    let eventLoop: any EventLoop

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { only(.inet) }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { only(.inet6) }

    func cancelQueries() {}

    private func only(_ family: NIOBSDSocket.ProtocolFamily) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == family })
    }
}
