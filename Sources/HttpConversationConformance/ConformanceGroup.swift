/// What a case is about.
public enum ConformanceGroup: String, CaseIterable, Sendable {
    /// One exchange, no more: redirects, cookies and challenges are handed over as they are.
    case contract
    /// Requests as they go over the wire.
    case requests
    /// Heads of responses that must not be believed, and odd ones that must.
    case heads
    /// Where a response's body ends (RFC 9112 §6).
    case framing
    /// Bodies of responses.
    case bodies
    /// Responses that have no body: to HEAD, 204, 304.
    case bodyless
    /// Interim responses (RFC 9110 §15.2).
    case interim
    /// Bodies of requests.
    case uploads
    /// `Expect: 100-continue` (RFC 9110 §10.1.1).
    case expectations
    /// Responses that come before the request's body has ended.
    case earlyAnswers
    /// Which connection serves the next request, and what is sent again (RFC 9112 §9).
    case reuse
    /// Bytes after a response that nobody asked for.
    case surplus
    /// Content codings (RFC 9110 §8.4).
    case coding
    /// Time limits.
    case timeouts
    /// More than anybody needs.
    case limits
    /// Cancelling, and dropping a body.
    case cancellation
    /// Whoever is slow slows the other side down, and nothing is piled up.
    case backPressure
    /// Reaching a server, and the end of a transport.
    case connecting
    /// TLS, certificates of servers and clients.
    case tls
    /// Proxies.
    case proxies
    /// Frames of HTTP/2 against the rules of the connection (RFC 9113).
    case frames
    /// Streams of HTTP/2.
    case streams
}
