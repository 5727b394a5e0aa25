#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A listener that never answers.
public final class SilentListener: Sendable {
    public let port: Int
    private let descriptors: [Int32]

    /// - Parameter accepts: whether the system accepts connections for it; otherwise its queue is full, and they wait
    public init(accepts: Bool) throws {
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, type, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var descriptors = [listener]
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, size) == 0, listen(listener, accepts ? 64 : 0) == 0,
                    getsockname(listener, address, &size) == 0
                else { throw Failure() }
                for _ in 0..<(accepts ? 0 : 4) {
                    let client = socket(AF_INET, type, 0)
                    _ = fcntl(client, F_SETFL, fcntl(client, F_GETFL) | O_NONBLOCK)
                    _ = connect(client, address, size)
                    descriptors.append(client)
                }
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        self.descriptors = descriptors
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    private struct Failure: Error {}
}
