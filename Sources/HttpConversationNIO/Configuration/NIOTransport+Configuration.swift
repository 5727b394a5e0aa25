import HttpConvConcurrency
public import HttpConvPlatform
public import HttpConversation
public import Logging

extension NIOTransport {
    /// The settings of a transport.
    public struct Configuration: Sendable {
        /// The trusted certificates, and whether servers are verified by them.
        public var tls = TLSSettings()
        /// The trusted certificates for proxies that are reached over TLS; nil: the same as ``tls``. Filters do not
        /// judge proxies, and proxies get no client certificate.
        public var proxyTLS: TLSSettings?
        /// The newest HTTP version that is offered. A server chooses HTTP/2 in the TLS handshake (RFC 9113 §3.2).
        /// Without TLS, or if the server does not choose it, HTTP/1.1 is used.
        public var newestVersion = ProtocolVersion.http2
        /// The only address family that connections to servers and proxies use; nil: both, and the first to answer wins
        /// (RFC 8305).
        public var addressFamily: AddressFamily?
        /// The addresses that are used for some servers and proxies instead of DNS results.
        public var addresses = Addresses()
        /// The maximum number of connections to one origin at the same time; further exchanges wait. With HTTP/2 there
        /// is one connection, and exchanges wait for one of the streams that the server allows; those that wait longer
        /// than 5 seconds get another connection, if the limits allow one. If an attempt to connect takes longer than
        /// that, another attempt may exceed the maximum by one, until one of them has ended.
        public var maximumConnectionsPerOrigin = 64
        /// The maximum number of connections of the whole transport at the same time. Idle ones are closed to make
        /// room. An attempt to connect beside one to another origin that takes longer than 5 seconds may exceed the
        /// maximum by one until a connection is free. A transport has at most three quarters of the file descriptors
        /// that its process may have when it is made.
        public var maximumConnections = 1024
        /// The time after which an idle connection is closed. A server may announce a shorter one (`Keep-Alive`).
        public var idleConnectionTimeout: Duration = .seconds(55)
        /// The largest response head, in bytes; at most a GiB.
        public var maximumHeadBytes = 256 << 10
        /// Whether a request without `Accept` gets one: `*/*`.
        public var sendsAccept = true
        /// Whether a request without `User-Agent` gets one: `HttpConversation`.
        public var sendsUserAgent = true
        /// The size in bytes from which a body is sent with `Expect: 100-continue`; one-shot bodies always are.
        public var expectContinueThreshold = 1 << 20
        /// The time to wait for `100 Continue` before the body is sent anyway.
        public var continueTimeout: Duration = .seconds(1)
        /// The maximum expansion of a compressed body, as a multiple of its bytes on the wire. The output of all its
        /// codings counts together. Checked beyond ``expansionAllowance``. The error is `contentCoding`.
        public var maximumExpansion = 1100
        /// The bytes that a compressed body may always expand to, whatever its size.
        public var expansionAllowance = 10 << 20
        /// The time that running exchanges have to finish after ``NIOTransport/shutdown()``.
        public var shutdownGrace: Duration = .seconds(10)
        /// The time after which another attempt to connect may begin beside one, or because exchanges wait for a stream
        /// of HTTP/2. The transport uses the default.
        var slowAttemptTime: Duration = .seconds(5)
        /// The time after which an attempt to connect ends, unless it is the oldest one to its server and exchanges
        /// have more time for connecting. The transport uses the default.
        var attemptLimit: Duration = .seconds(30)
        /// The clock that goes on while the machine is suspended. The transport uses the default.
        var clock: any WallClock = SystemClock()
        /// The limits of HTTP/2 connections.
        var http2 = HTTP2Limits()
        /// Logs servers that send more than their response. Messages are static, with the origin as metadata; a peer's
        /// bytes are never logged.
        public var logger = Logger(label: "HttpConversationNIO")

        /// The defaults.
        public init() {}
    }

    /// An address family.
    public enum AddressFamily: Sendable, CaseIterable {
        /// IPv4, such as 192.0.2.1.
        case ipv4
        /// IPv6, such as 2001:db8::1.
        case ipv6
    }

    /// The settings for trust in certificates.
    public struct TLSSettings: Sendable {
        /// The source of trusted root certificates.
        public enum TrustRoots: Sendable {
            /// The system's certificates.
            case system
            /// Only the certificates of a PEM file. A root is a certificate that is signed by itself; an intermediate
            /// or a server's own certificate is not enough.
            case file(URL)
            /// Only these certificates, in PEM.
            case pem([UInt8])
        }

        /// The source of trusted root certificates.
        public var trustRoots = TrustRoots.system
        /// Whether the server's certificate is verified. If not, anyone on the network can read and change the traffic.
        public var verifiesCertificates = true

        /// Trusts the system's certificates, with verification.
        public init() {}
    }
}
