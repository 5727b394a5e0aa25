import HttpConversation
import HttpConversationConformance

/// The phase of a connection when its peer ends it.
enum ConnectionPhase: String, CaseIterable, Sendable {
    /// The TCP connection is being made.
    case connecting
    /// TLS with the proxy has begun.
    case proxyTLS
    /// The proxy got its first request (`CONNECT`, the greeting of SOCKS).
    case proxyAsked
    /// The proxy is in the middle of its answer.
    case proxyAnswering
    /// TLS with the server has begun.
    case tls
    /// The server has asked for a certificate, and the answer is slow.
    case certificate
    /// The server's part of the handshake has arrived. The server does not read what the client then sends.
    case preface
    /// The preface of HTTP/2 has arrived and was not answered.
    case settings
    /// The connection has served a request and waits for the next.
    case idle
    /// The request has arrived.
    case request
    /// A part of the response's head was sent.
    case head
    /// A part of the response's body was sent.
    case body
    /// A part of the request's body has arrived.
    case upload
    /// A part of the request's body has arrived; its source is stalled.
    case stalledUpload
    /// The request waits for `100 Continue`.
    case expectation
    /// The server has answered `100 Continue`, and a part of the request's body has arrived.
    case expectedUpload

    /// Whether the connect timeout limits silence; otherwise the idle timeout does.
    var isConnecting: Bool {
        switch self {
        case .connecting, .proxyTLS, .proxyAsked, .proxyAnswering, .tls, .certificate: true
        default: false
        }
    }

    func exists(_ way: ConnectionWay, _ end: ConnectionEnd) -> Bool {
        switch self {
        // The system accepts or refuses: there is no connection to close yet.
        case .connecting: end == .reset || end == .silence
        case .proxyTLS: way.proxy == .https
        case .proxyAsked, .proxyAnswering: way.hasTunnel
        case .tls, .preface: way.isSecure
        // In this phase the server waits for us, so its silence is normal.
        case .certificate: way.isSecure && end != .silence
        case .settings: way.isHTTP2
        // The exchange waits for our own source.
        case .stalledUpload: end != .silence
        // After some silence the body is sent anyway.
        case .expectation: end != .silence
        default: true
        }
    }

    func body(_ gate: Gate) -> RequestBody? {
        switch self {
        case .upload, .expectation, .expectedUpload:
            // Longer than any buffer.
            .stream(length: 1 << 40) { RequestBodyStream { [UInt8](repeating: 1, count: 16 << 10) } }
        case .stalledUpload:
            .stream(length: 64 << 20) {
                let count = Counter()
                return RequestBodyStream {
                    if count.add() > 1 { await gate.wait() }
                    return [UInt8](repeating: 1, count: 1 << 10)
                }
            }
        default: nil
        }
    }

    /// The possible error codes, unless the peer is silent.
    func codes(_ way: ConnectionWay) -> Set<ConversationError.Code> {
        switch self {
        case .connecting: [.connectionFailed]
        case .proxyTLS: [.tlsFailed, .proxyHandshakeFailed, .connectionFailed]
        case .proxyAsked, .proxyAnswering: [.proxyHandshakeFailed, .connectionFailed]
        case .tls, .certificate: [.tlsFailed, .connectionFailed]
        case .preface: [.emptyResponse, .receiveFailed, .tlsFailed]
        case .settings, .request: [.emptyResponse, .receiveFailed]
        case .idle: []
        // A partial head has no effect over HTTP/2.
        case .head: way.isHTTP2 ? [.receiveFailed, .emptyResponse] : [.receiveFailed]
        case .body: [.bodyCut, .receiveFailed]
        case .upload, .stalledUpload, .expectation, .expectedUpload: [.sendFailed]
        }
    }
}
