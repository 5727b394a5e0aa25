import Foundation
import NIOCore

/// Listening at one port of several addresses that stand for the same name, as 127.0.0.1 and ::1 do for `localhost`.
///
/// Whoever has the name may come to either, so that both have to be ours (security rule S19). Only an address that the
/// machine does not have is left out.
enum AddressBinding {
    /// Another program has the port.
    struct PortTaken: Error {
        let address: String
        let port: Int
    }

    /// How many ports are tried where any will do.
    static let attempts = 8

    /// Listens everywhere, or nowhere.
    ///
    /// - Parameters:
    ///   - port: 0 for one that is free at all addresses
    ///   - listen: opens one listener and tells its port
    ///   - close: ends one
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

    /// A machine without IPv6, or without IPv4.
    private static func isMissing(_ error: IOError) -> Bool {
        [EADDRNOTAVAIL, EAFNOSUPPORT, EPROTONOSUPPORT].contains(error.errnoCode)
    }
}
