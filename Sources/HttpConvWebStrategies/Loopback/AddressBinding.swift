import HttpConvPlatform
import NIOCore

/// Listens on one port of several addresses of the same name, such as 127.0.0.1 and ::1 for `localhost`.
///
/// A client may resolve the name to any of them, so all must be ours (security rule S19). Only an address that the
/// machine lacks is skipped.
enum AddressBinding {
    /// Another program uses the port.
    struct PortTaken: Error {
        let address: String
        let port: Int
    }

    /// The number of ports to try if any port will do.
    static let attempts = 8

    /// Listens on all addresses, or fails.
    ///
    /// - Parameters:
    ///   - port: the port; 0 for one that is free on all addresses
    ///   - listen: opens one listener and returns its port
    ///   - close: closes one listener
    static func listen<Listener>(
        at addresses: [String], port: Int, listen: (String, Int) async throws -> (Listener, port: Int),
        close: (Listener) async -> Void
    ) async throws -> (listeners: [Listener], port: Int) {
        for _ in 1..<attempts where port == 0 {
            do {
                return try await once(at: addresses, port: port, listen: listen, close: close)
            } catch is PortTaken { continue }
        }
        return try await once(at: addresses, port: port, listen: listen, close: close)
    }

    private static func once<Listener>(
        at addresses: [String], port wanted: Int, listen: (String, Int) async throws -> (Listener, port: Int),
        close: (Listener) async -> Void
    ) async throws -> (listeners: [Listener], port: Int) {
        var listeners: [Listener] = []
        var port = wanted
        var missing: (any Error)?
        do {
            for address in addresses {
                do {
                    let (listener, actual) = try await listen(address, port)
                    listeners.append(listener)
                    port = actual
                } catch let error as IOError where isMissing(error) {
                    missing = error
                } catch let error as IOError where error.errnoCode == EADDRINUSE {
                    throw PortTaken(address: address, port: port)
                }
            }
            if listeners.isEmpty, let missing { throw missing }
            return (listeners, port)
        } catch {
            for listener in listeners { await close(listener) }
            throw error
        }
    }

    /// Whether the machine lacks IPv6 or IPv4.
    private static func isMissing(_ error: IOError) -> Bool {
        [EADDRNOTAVAIL, EAFNOSUPPORT, EPROTONOSUPPORT].contains(error.errnoCode)
    }
}
