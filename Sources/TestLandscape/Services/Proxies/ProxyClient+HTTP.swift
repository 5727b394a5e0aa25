import NIOCore

/// The HTTP of a proxy: `CONNECT` and whole URLs (RFC 9110 §9.3.6, RFC 9112 §3.2.2).
extension ProxyClient {
    /// Answers a request. Returns whether another one may come on the connection.
    mutating func answer(_ head: ProxyRequestHead) async throws -> Bool {
        let rule = proxies.rule
        let id = proxies.add(head.kind, head.target, head.fields, head.bytes, on: connection)
        if rule.authentication != .none {
            guard ProxyLogin(shared: shared, rule: rule).passes(head) else {
                return try await ownAnswer(
                    head, "407 Proxy Authentication Required", 407, ProxyLogin(shared: shared, rule: rule).challenges,
                    id)
            }
            proxies.update(id) { $0.user = rule.user.name }
        }
        switch rule.fault {
        case .answers(let bytes):
            try await write(bytes)
            return false
        case .silence:
            try await keepSilent(id)
            return false
        case .cut: return false
        case .tunnels(let bytes) where head.kind == .connect:
            try await write("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
            try await write(bytes)
            try await keepSilent(id)
            return false
        case .tunnels, .socksReply, nil: break
        }
        guard let port = head.port, head.kind != .other else {
            return try await ownAnswer(head, "400 Bad Request", 400, [], id)
        }
        if head.kind == .absolute { return try await forward(head, port: port, id) }
        guard let server = try? await connect(port: port, ByteListener.stream) else {
            return try await ownAnswer(head, "502 Bad Gateway", 502, [], id)
        }
        proxies.update(id) { $0.status = 200 }
        try await tunnel(server, id, answer: Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8))
        return false
    }

    /// Sends an answer of the proxy itself.
    ///
    /// - Returns: whether another request may come; not after `Expect`, because then it is unknown whether a body
    ///   follows
    mutating func ownAnswer(
        _ head: ProxyRequestHead, _ line: String, _ status: Int, _ challenges: [String], _ id: Int
    ) async throws -> Bool {
        proxies.update(id) { $0.status = status }
        let isLast = head.value("Expect") != nil
        if !isLast { try await skipBody(head) }
        let page = "The proxy says: \(line)\n"
        let fields =
            challenges.map { "Proxy-Authenticate: \($0)\r\n" }.joined() + (isLast ? "Connection: close\r\n" : "")
        try await write(
            "HTTP/1.1 \(line)\r\n\(fields)Content-Type: text/plain\r\nContent-Length: \(page.utf8.count)\r\n\r\n\(page)"
                .utf8)
        return !isLast
    }
}
