/// What is between a transport and the server that the suite plays.
public enum ConformanceWire: String, CaseIterable, Sendable {
    /// HTTP/1.1 over TCP, with TLS where a case is about that.
    case http1
    /// HTTP/2 over TLS (RFC 9113 §3.2): the server offers nothing else.
    case http2
    /// Nothing: a transport that lets ``ConformanceSetup/answer(_:)`` answer. Only the contract is checked.
    case inProcess
}
