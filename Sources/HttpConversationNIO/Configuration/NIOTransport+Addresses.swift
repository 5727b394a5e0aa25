import HttpConvPlatform
public import HttpConversation
import NIOCore

extension NIOTransport {
    /// The addresses that are set by hand: IP addresses instead of DNS results, and Unix sockets.
    ///
    /// They change only where connections lead. The name in the TLS handshake and in the certificate, `Host`, cookies,
    /// credentials and redirects follow the URL. Connections are shared only if they lead to the same place (security
    /// rule S3).
    ///
    /// ```swift
    /// var settings = NIOTransport.Configuration()
    /// try settings.addresses.set(["192.0.2.7", "2001:db8::7"], forHost: "api.example.com", port: 443)
    /// try settings.addresses.set(unixSocket: "/run/engine.sock", for: "http://localhost")
    /// ```
    public struct Addresses: Sendable {
        private var given: [Origin: GivenAddress] = [:]

        /// An empty set: all connections follow DNS.
        public init() {}

        /// Sets the IP addresses that are used for one port of a host, for `http` and `https`. Through a proxy, only
        /// the addresses set for the proxy's host matter.
        ///
        /// - Parameters:
        ///   - addresses: IPv4 and IPv6 addresses, IPv6 with or without brackets
        ///   - host: a name; `localhost` accepts loopback addresses only
        ///   - port: the server's port, 1 to 65,535
        /// - Throws: ``/HttpConversation/ConversationError/Code/invalidConfiguration``, or
        ///   ``/HttpConversation/ConversationError/Code/invalidURL`` for an invalid host or port
        public mutating func set(
            _ addresses: [String], forHost host: String, port: Int
        ) throws(ConversationError) {
            let origins = [
                try Origin(scheme: .http, host: host, port: port), try Origin(scheme: .https, host: host, port: port),
            ]
            guard let origin = origins.first, !origin.isIPLiteral, !addresses.isEmpty else {
                throw ConversationError(
                    .invalidConfiguration,
                    addresses.isEmpty
                        ? "The list of addresses for \(host) is empty."
                        : "\(host) is an address already: give addresses for a name.")
            }
            var parsed: [SocketAddress] = []
            for text in addresses { parsed.append(try Self.address(text, of: origin)) }
            for origin in origins { given[origin] = .internet(parsed) }
        }

        /// Makes connections to an origin lead to a Unix socket. Requests to that origin cannot use a proxy: the
        /// transport refuses an exchange that names one (security rule S25).
        ///
        /// - Parameters:
        ///   - path: up to 107 bytes (103 on Apple's systems)
        ///   - url: a URL of the server; only its origin counts
        /// - Throws: ``/HttpConversation/ConversationError/Code/connectionFailed`` if the path is too long, else the
        ///   same errors as for addresses
        public mutating func set(
            unixSocket path: String, for url: some TargetURLConvertible
        ) throws(ConversationError) {
            guard !path.utf8.isEmpty, !path.utf8.contains(0) else {
                throw ConversationError(.invalidConfiguration, "The path of a Unix socket is empty or contains a NUL.")
            }
            let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
            guard path.utf8.count <= limit else {
                throw ConversationError(
                    .connectionFailed,
                    "The path of the Unix socket has \(path.utf8.count) bytes, and the system takes \(limit) at most: use a shorter one, such as a relative path or a link to its directory."
                )
            }
            given[try url.targetOrigin()] = .unixSocket(path: path)
        }

        /// The policy that these addresses express for each server.
        var policy: ConnectionPolicy {
            var policy = ConnectionPolicy()
            for (origin, address) in given {
                if case .unixSocket = address {
                    policy.origins[origin] = [.unixSocket]
                } else {
                    policy.origins[origin] = [.givenAddress]
                }
            }
            return policy
        }

        /// - Throws: an error if a proxy is set for an origin that is reached by a Unix socket
        func address(for origin: Origin, through proxy: ProxyServer?) throws(ConversationError) -> GivenAddress? {
            if given.isEmpty { return nil }
            guard let proxy else { return given[origin] }
            if case .unixSocket = given[origin] {
                throw ConversationError(
                    .invalidConfiguration,
                    "\(origin) is reached by a Unix socket, and the proxy \(proxy) is configured for it: leave out one of the two."
                )
            }
            guard case .internet = given[proxy.origin] else { return nil }
            return given[proxy.origin]
        }

        private static func address(
            _ text: String, of origin: Origin
        ) throws(ConversationError) -> SocketAddress {
            guard let literal = try? Origin(scheme: .http, host: text), literal.isIPLiteral,
                let address = try? SocketAddress(ipAddress: literal.host, port: origin.port)
            else {
                throw ConversationError(
                    .invalidConfiguration,
                    "\"\(TerminalText.sanitise(text, limit: 60))\", given for \(origin.host), is not an IPv4 or IPv6 address."
                )
            }
            // Passwords are sent to localhost without TLS, so it has to be this machine (security rules S1 and S11).
            guard !origin.isLocalName || literal.isLoopback else {
                throw ConversationError(
                    .invalidConfiguration,
                    "\(origin.host) is this machine: it cannot have the address \(literal.host).")
            }
            return address
        }
    }
}
