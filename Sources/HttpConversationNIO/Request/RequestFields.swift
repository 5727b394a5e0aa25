import HTTPTypes
import HttpConversation

/// The header section of a request: the caller's fields, with the transport's own framing fields.
struct RequestFields {
    private(set) var fields: [(name: String, value: String)] = []
    /// Whether the request names the content codings that the server may use. Bytes in others are delivered as they
    /// are.
    private(set) var hasAcceptEncoding = false
    private(set) var expectsContinue = false

    init(
        _ request: TransportRequest, payload: WireRequest.Payload, configuration: NIOTransport.Configuration,
        isReadByProxy isRead: Bool
    ) {
        var hasAccept = false
        var hasUserAgent = false
        var hasRange = false
        var asksToContinue = false
        var cookies = ""
        fields.reserveCapacity(request.headerFields.count + 5)
        add("Host", request.options.hostField?.value ?? request.target.origin.authority)
        for field in request.headerFields {
            switch Name(field.name.canonicalName) {
            case .own: continue
            case .expect:
                asksToContinue = field.value.lowercased() == "100-continue"
                if asksToContinue { continue }
            case .cookie:
                // HTTPFields keeps cookies separate for HTTP/2; HTTP/1.1 has one field (RFC 6265 §5.4).
                cookies = cookies.isEmpty ? field.value : "\(cookies); \(field.value)"
                continue
            case .accept: hasAccept = true
            case .userAgent: hasUserAgent = true
            case .acceptEncoding: hasAcceptEncoding = true
            case .range: hasRange = true
            // Only for a proxy that reads the request.
            case .proxyAuthorization where !isRead: continue
            case .proxyAuthorization, .other: break
            }
            add(field.name.rawName, field.value)
        }
        if !cookies.isEmpty { add("Cookie", cookies) }
        if !hasAccept, configuration.sendsAccept { add("Accept", "*/*") }
        if !hasAcceptEncoding, request.options.decompresses {
            // A range counts the bytes as sent: a part of a compressed body cannot be decoded.
            add("Accept-Encoding", hasRange ? "identity" : "gzip, deflate")
            hasAcceptEncoding = hasRange
        }
        if !hasUserAgent, configuration.sendsUserAgent { add("User-Agent", "HttpConversation") }
        if let upgrade = request.options.upgrade {
            add("Connection", "Upgrade")
            add("Upgrade", upgrade)
            return
        }
        addFraming(request.method, payload)
        expectsContinue = Self.expects(request.body, payload, asksToContinue, configuration)
        if expectsContinue { add("Expect", "100-continue") }
    }

    /// The kinds of names that callers' fields have.
    private enum Name {
        /// The transport's own.
        case own
        case expect, cookie, accept, userAgent, acceptEncoding, range, proxyAuthorization, other

        /// Looks at lengths first: nearly every name differs in it from those that have a meaning.
        init(_ name: String) {
            switch name.utf8.count {
            case 2 where name == "te", 4 where name == "host", 7 where name == "upgrade",
                10 where name == "connection" || name == "keep-alive", 14 where name == "content-length",
                16 where name == "proxy-connection", 17 where name == "transfer-encoding":
                self = .own
            case 5 where name == "range": self = .range
            case 6 where name == "expect": self = .expect
            case 6 where name == "cookie": self = .cookie
            case 6 where name == "accept": self = .accept
            case 10 where name == "user-agent": self = .userAgent
            case 15 where name == "accept-encoding": self = .acceptEncoding
            case 19 where name == "proxy-authorization": self = .proxyAuthorization
            default: self = .other
            }
        }
    }

    private mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }

    private mutating func addFraming(_ method: HTTPRequest.Method, _ payload: WireRequest.Payload) {
        switch payload {
        case .none:
            if method == .post || method == .put || method == .patch { add("Content-Length", "0") }
        case .small(let bytes): add("Content-Length", String(bytes.count))
        case .streamed(let body):
            if let length = body.length {
                add("Content-Length", String(length))
            } else {
                add("Transfer-Encoding", "chunked")
            }
        }
    }

    /// Whether to ask before the body is sent (RFC 9110 §10.1.1): for a one-shot body, or a large one.
    private static func expects(
        _ body: RequestBody?, _ payload: WireRequest.Payload, _ asked: Bool, _ configuration: NIOTransport.Configuration
    ) -> Bool {
        switch payload {
        case .none: return false
        case .small(let bytes): return !bytes.isEmpty && (asked || bytes.count >= configuration.expectContinueThreshold)
        case .streamed(let streamed):
            if asked || body?.isRestartable == false { return streamed.length != 0 }
            return (streamed.length ?? .max) >= configuration.expectContinueThreshold
        }
    }
}
