#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Finds ports on which nothing listens at this moment.
///
/// The system gives out ports from 32,768 upwards (49,152 on macOS), for connections too. Between the look here and the
/// server's own `bind`, another process may get such a port, and answer the tests in the server's place. These ports are lower.
enum FreePorts {
    private static let range = 20_000..<32_000

    static func find(_ count: Int) throws -> [Int] {
        var found: Set<Int> = []
        for _ in 0..<1000 where found.count < count {
            let port = Int.random(in: range)
            if try isFree(port) { found.insert(port) }
        }
        guard found.count == count else { throw SetupFailure("no free port in \(range)") }
        return Array(found)
    }

    private static func isFree(_ port: Int) throws -> Bool {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw SetupFailure("no socket") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = UInt16(port).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
