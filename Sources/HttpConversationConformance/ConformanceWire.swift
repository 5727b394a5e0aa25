/// The wire between a transport and the suite's server.
public enum ConformanceWire: String, CaseIterable, Sendable {
    /// HTTP/1.1 over TCP, with TLS in the cases about TLS.
    case http1
    /// HTTP/2 over TLS (RFC 9113 §3.2). The server offers no other protocol.
    case http2
    /// No wire: the transport gets its answers from ``ConformanceSetup/answer(_:)``. Only the contract is checked.
    case inProcess
}
