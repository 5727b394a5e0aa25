/// The subject of a case.
public enum ConformanceGroup: String, CaseIterable, Sendable {
    /// One exchange per call: redirects, cookies and challenges are returned as they are.
    case contract
    /// Requests as they go over the wire.
    case requests
    /// Heads of responses that must be refused, and odd ones that must be accepted.
    case heads
    /// The end of a response's body (RFC 9112 §6).
    case framing
    /// Bodies of responses.
    case bodies
    /// Responses without a body: to HEAD, 204, 304.
    case bodyless
    /// Interim responses (RFC 9110 §15.2).
    case interim
    /// Bodies of requests.
    case uploads
    /// `Expect: 100-continue` (RFC 9110 §10.1.1).
    case expectations
    /// Responses that come before the request's body has ended.
    case earlyAnswers
    /// Reuse of connections, and repeated requests (RFC 9112 §9).
    case reuse
    /// Unrequested bytes after a response.
    case surplus
    /// Content codings (RFC 9110 §8.4).
    case coding
    /// Time limits.
    case timeouts
    /// Limits of sizes and numbers.
    case limits
    /// Cancelling a task, and dropping a body.
    case cancellation
    /// Back-pressure: a slow side slows the other one down, and buffers stay small.
    case backPressure
    /// Connecting to a server, and shutting a transport down.
    case connecting
    /// TLS, with certificates of servers and clients.
    case tls
    /// Proxies.
    case proxies
    /// Connections that change to another protocol (RFC 9110 §7.8).
    case upgrades
    /// Frames of HTTP/2 against the rules of the connection (RFC 9113).
    case frames
    /// Streams of HTTP/2.
    case streams
}
