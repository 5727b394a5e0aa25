import NIOCore
import NIOPosix

/// Resolves `localhost` to this machine, whatever a hosts file or a name server says (RFC 6761 §6.3, security rule S1).
///
/// Happy Eyeballs tries both addresses, so a server that listens on only one of them is found.
struct LoopbackResolver: Resolver, Sendable {
    let eventLoop: any EventLoop

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { address("127.0.0.1", port) }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { address("::1", port) }

    func cancelQueries() {}

    private func address(_ literal: String, _ port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeCompletedFuture { [try SocketAddress(ipAddress: literal, port: port)] }
    }
}
