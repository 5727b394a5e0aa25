import NIOCore
import NIOPosix

/// Gives Happy Eyeballs the addresses of a host, which may be known already.
struct AddressResolver: Resolver, Sendable {
    let addresses: EventLoopFuture<[SocketAddress]>
    /// The look-up that they come from.
    var lookUp: NameLookUp?

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { only(.inet) }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { only(.inet6) }

    func cancelQueries() { lookUp?.cancel() }

    private func only(_ family: NIOBSDSocket.ProtocolFamily) -> EventLoopFuture<[SocketAddress]> {
        addresses.map { $0.filter { $0.protocol == family } }
    }
}
