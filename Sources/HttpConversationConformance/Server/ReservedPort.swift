import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Holds a port of the other loopback address, without listening on it, for as long as it lives.
package final class ReservedPort: Sendable {
    package let isHeld: Bool
    private let descriptor: Int32

    package init(_ port: Int, beside host: String) {
        let isIPv6 = !host.contains(":")
        #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, stream, 0)
        let address = try? SocketAddress(ipAddress: isIPv6 ? "::1" : "127.0.0.1", port: port)
        let descriptor = descriptor
        isHeld = address?.withSockAddr { address, size in bind(descriptor, address, socklen_t(size)) == 0 } ?? false
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
