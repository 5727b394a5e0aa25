import HTTPTypes
import HttpConversation

/// The header section of a request: the caller's fields, with the transport's own framing fields.
struct RequestFields {
    private(set) var fields: [(name: String, value: String)] = []
    private(set) var hasAcceptEncoding = false
    private(set) var expectsContinue = false

    init(
        _ request: TransportRequest, payload: WireRequest.Payload, configuration: NIOTransport.Configuration,
        isReadByProxy isRead: Bool
    ) {
        var hasAccept = false
        var hasUserAgent = false
        var asksToContinue = false
        var cookies = ""
        fields.reserveCapacity(request.headerFields.count + 5)
        add("Host", request.options.hostField?.value ?? request.target.origin.authority)
        for field in request.headerFields {
            switch field.name.canonicalName {
            // First, because most requests have this field.
            case "authorization": break
            case "host", "content-length", "transfer-encoding", "connection", "keep-alive", "te", "upgrade",
                "proxy-connection":
                continue
            case "expect":
                asksToContinue = field.value.lowercased() == "100-continue"
                if asksToContinue { continue }
            case "cookie":
                // HTTPFields keeps cookies separate for HTTP/2; HTTP/1.1 has one field (RFC 6265 §5.4).
                cookies += cookies.isEmpty ? field.value : "; " + field.value
                continue
            case "accept": hasAccept = true
            case "user-agent": hasUserAgent = true
            case "accept-encoding": hasAcceptEncoding = true
            // Only for a proxy that reads the request.
            case "proxy-authorization" where !isRead: continue
            default: break
            }
            add(field.name.rawName, field.value)
        }
        if !cookies.isEmpty { add("Cookie", cookies) }
        if !hasAccept { add("Accept", "*/*") }
        if !hasAcceptEncoding, request.options.decompresses {
            add("Accept-Encoding", "gzip, deflate")
        }
        if !hasUserAgent { add("User-Agent", "HttpConversation") }
        if let upgrade = request.options.upgrade {
            add("Connection", "Upgrade")
            add("Upgrade", upgrade)
            return
        }
        addFraming(request.method, payload)
        expectsContinue = Self.expects(request.body, payload, asksToContinue, configuration)
        if expectsContinue { add("Expect", "100-continue") }
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
