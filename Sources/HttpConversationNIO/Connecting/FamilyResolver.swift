import HttpConvPlatform
import HttpConversation
import NIOCore
import NIOPosix

/// Resolves names with the system's resolver to one address family. `localhost` and names below it are the loopback
/// address (RFC 6761 §6.3).
struct FamilyResolver: Resolver, Sendable {
    let family: NIOTransport.AddressFamily
    let eventLoop: any EventLoop

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        addresses(host, port, of: .ipv4, AF_INET)
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        addresses(host, port, of: .ipv6, AF_INET6)
    }

    func cancelQueries() {}

    private func addresses(
        _ host: String, _ port: Int, of asked: NIOTransport.AddressFamily, _ number: Int32
    ) -> EventLoopFuture<[SocketAddress]> {
        guard asked == family else { return eventLoop.makeSucceededFuture([]) }
        let name = Origin.isLocalName(host) ? (family == .ipv4 ? "127.0.0.1" : "::1") : host
        // getaddrinfo blocks, so it must not run on an event loop.
        return NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { Self.lookUp(name, port, number) }
    }

    private static func lookUp(_ host: String, _ port: Int, _ family: Int32) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = family
        hints.ai_protocol = Int32(IPPROTO_TCP)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        return sequence(first: first) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { entry in
            guard let address = entry?.pointee.ai_addr else { return nil }
            return family == AF_INET
                ? address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee, host: host) }
                : address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    SocketAddress($0.pointee, host: host)
                }
        }
    }
}
