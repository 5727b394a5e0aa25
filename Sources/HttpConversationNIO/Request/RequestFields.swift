import HTTPTypes
import HttpConversation
import NIOHTTP1

/// The header section of a request: the caller's fields, with the transport's own framing fields.
struct RequestFields {
    private(set) var headers = HTTPHeaders()
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
        headers.reserveCapacity(request.headerFields.count + 5)
        headers.add(name: "Host", value: request.options.hostField?.value ?? request.target.origin.authority)
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
            headers.add(name: field.name.rawName, value: field.value)
        }
        if !cookies.isEmpty { headers.add(name: "Cookie", value: cookies) }
        if !hasAccept { headers.add(name: "Accept", value: "*/*") }
        if !hasAcceptEncoding, request.options.decompresses {
            headers.add(name: "Accept-Encoding", value: "gzip, deflate")
        }
        if !hasUserAgent { headers.add(name: "User-Agent", value: "HttpConversation") }
        if let upgrade = request.options.upgrade {
            headers.add(name: "Connection", value: "Upgrade")
            headers.add(name: "Upgrade", value: upgrade)
            return
        }
        addFraming(request.method, payload)
        expectsContinue = Self.expects(request.body, payload, asksToContinue, configuration)
        if expectsContinue { headers.add(name: "Expect", value: "100-continue") }
    }

    private mutating func addFraming(_ method: HTTPRequest.Method, _ payload: WireRequest.Payload) {
        switch payload {
        case .none:
            if method == .post || method == .put || method == .patch { headers.add(name: "Content-Length", value: "0") }
        case .small(let bytes): headers.add(name: "Content-Length", value: String(bytes.count))
        case .streamed(let body):
            if let length = body.length {
                headers.add(name: "Content-Length", value: String(length))
            } else {
                headers.add(name: "Transfer-Encoding", value: "chunked")
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
