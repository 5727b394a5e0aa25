#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Finds ports on which nothing listens at this moment.
enum FreePorts {
    static func find(_ count: Int) throws -> [Int] {
        var sockets: [Int32] = []
        // All sockets stay open until the last port is known, so that the ports differ.
        defer { sockets.forEach { _ = close($0) } }
        return try (0..<count).map { _ in
            let (descriptor, port) = try bind()
            sockets.append(descriptor)
            return port
        }
    }

    private static func bind() throws -> (descriptor: Int32, port: Int) {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw SetupFailure("no socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> Int32 in
                systemBind(descriptor, generic, length) == 0 ? getsockname(descriptor, generic, &length) : -1
            }
        }
        guard status == 0 else {
            close(descriptor)
            throw SetupFailure("no free port")
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}

private func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    bind(descriptor, address, length)
}
