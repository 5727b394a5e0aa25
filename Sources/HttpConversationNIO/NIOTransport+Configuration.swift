public import Foundation
public import HttpConversation
public import Logging

extension NIOTransport {
    /// What a transport runs with.
    public struct Configuration: Sendable {
        /// Which certificates are trusted.
        public var tls = TLSSettings()
        /// Which certificates of proxies are trusted that are reached by TLS; nil: the same. No filter has a say about
        /// them, and they are shown no certificate.
        public var proxyTLS: TLSSettings?
        /// The newest version of HTTP that is offered. A server chooses HTTP/2 in the TLS handshake (RFC 9113 §3.2); without
        /// TLS, and where it does not, it is HTTP/1.1.
        public var newestVersion = ProtocolVersion.http2
        /// The only addresses that are connected to, of servers and proxies; nil: whichever answers first (RFC 8305).
        public var addressFamily: AddressFamily?
        /// Where connections to some servers and proxies lead, rather than where name servers say.
        public var addresses = Addresses()
        /// Connections to one origin at the same time; further exchanges wait for one. Of HTTP/2 it is one connection, and
        /// exchanges wait for one of the streams that the server allows.
        public var maximumConnectionsPerOrigin = 64
        /// Connections of the whole transport at the same time; idle ones make room.
        public var maximumConnections = 1024
        /// How long a connection is kept without work.
        public var idleConnectionTimeout: Duration = .seconds(55)
        /// The largest response head, in bytes; a GiB is the most.
        public var maximumHeadBytes = 256 << 10
        /// From this many bytes on, and for one-shot bodies, `Expect: 100-continue` is sent.
        public var expectContinueThreshold = 1 << 20
        /// How long to wait for `100 Continue` before the body is sent all the same.
        public var continueTimeout: Duration = .seconds(1)
        /// A compressed body may expand to this many times its bytes on the wire, what all its codings yield counted
        /// together; checked beyond ``expansionAllowance``. More is `contentCoding`.
        public var maximumExpansion = 1100
        /// To so many bytes a compressed body may expand whatever its size.
        public var expansionAllowance = 10 << 20
        /// How long running exchanges may go on after ``NIOTransport/shutdown()``.
        public var shutdownGrace: Duration = .seconds(10)
        /// What connections of HTTP/2 run with.
        var http2 = HTTP2Limits()
        /// Is told of servers that send more than their response: static messages and origins, never a peer's bytes.
        public var logger = Logger(label: "HttpConversationNIO")

        /// The defaults.
        public init() {}
    }

    /// A kind of address.
    public enum AddressFamily: Sendable, CaseIterable {
        /// Such as 192.0.2.1.
        case ipv4
        /// Such as 2001:db8::1.
        case ipv6
    }

    /// Which certificates are trusted.
    public struct TLSSettings: Sendable {
        /// Where trust begins.
        public enum TrustRoots: Sendable {
            /// The system's certificates.
            case system
            /// Only the certificates of a PEM file.
            case file(URL)
            /// Only these certificates, in PEM.
            case pem([UInt8])
        }

        /// Where trust begins.
        public var trustRoots = TrustRoots.system
        /// Whether the server's certificate is checked. Off means that anybody can read and change what is exchanged.
        public var verifiesCertificates = true

        /// The system's certificates, checked.
        public init() {}
    }
}
