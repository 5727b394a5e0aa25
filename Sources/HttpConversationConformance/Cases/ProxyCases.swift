import HTTPTypes
import HttpConversation

extension CaseList {
    static let proxies: [ConformanceCase] =
        [
            ("forbidden", "403 Forbidden", 403), ("login-wanted", "407 Proxy Authentication Required", 407),
            ("bad-gateway", "502 Bad Gateway", 502),
        ].map { name, status, code in
            ConformanceCase(
                .proxies, name, "a proxy's \(code) to CONNECT is a response of the proxy's", on: [.http1],
                needs: .proxies
            ) { run in
                try await run.raw { connection in
                    while true {
                        let head = try await connection.readHead()
                        try expect(head.hasPrefix("CONNECT h.example:443 HTTP/1.1\r\n"), "CONNECT h.example:443", head)
                        try expect(!head.contains("secret"), "nothing of the request", head)
                        try await connection.write(
                            "HTTP/1.1 \(status)\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 2\r\n\r\nno")
                    }
                } _: { client in
                    let route = try client.route()
                    let response = try await client.at("https://h.example").send(
                        .get, fields: [.authorization: "Basic secret"]
                    ) { $0.proxy = route }
                    try expect(response.head.status.code, is: code, "the status")
                    try expect(response.isFromProxy, is: true, "isFromProxy")
                    try expect(
                        response.head.headerFields[.proxyAuthenticate], is: "Basic realm=x", "Proxy-Authenticate")
                }
            }
        }
        + [
            ("another protocol", "SSH-2.0-OpenSSH\r\n"), ("a page", "<html>"), ("no status", "HTTP/1.1\r\n\r\n"),
            ("bytes after the head", "HTTP/1.1 200 OK\r\n\r\nx"),
            ("an endless head", "HTTP/1.1 200 OK\r\nA: " + String(repeating: "x", count: 2 << 20)),
            ("a flood of interim responses", String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 1000)),
        ].map { title, answer in
            ConformanceCase(.proxies, slug(title), "a proxy that says \(title)", on: [.http1], needs: .proxies) {
                run in
                try await run.raw(answeringOnce(answer)) { client in
                    let route = try client.route()
                    try await client.at("https://h.example").expectFailure(.proxyHandshakeFailed) { $0.proxy = route }
                    try await client.expectClosed(1)
                }
            }
        } + [
            ConformanceCase(
                .proxies, "absolute-form", "without TLS requests go in absolute form (RFC 9112 §3.2.2)", on: [.http1],
                needs: .proxies
            ) { run in
                try await run.raw { connection in
                    while true {
                        let head = try await connection.readHead()
                        try expect(
                            head.hasPrefix("GET http://h.example:81/a?b HTTP/1.1\r\n"), "the absolute form", head)
                        try expect(head.lowercased().contains("\r\nhost: h.example:81\r\n"), "Host", head)
                        try expect(head.contains("Basic for-the-proxy"), "Proxy-Authorization", head)
                        try await connection.respond("ok")
                    }
                } _: { client in
                    let route = try client.route()
                    for _ in 0..<2 {
                        let response = try await client.at("http://h.example:81").expect(
                            "ok", .get, "/a?b", fields: [.proxyAuthorization: "Basic for-the-proxy"]
                        ) { $0.proxy = route }
                        try expect(response.isFromProxy, is: false, "isFromProxy")
                    }
                    try client.expectConnections(1)
                }
            },
            ConformanceCase(.proxies, "tunnel", "with TLS requests go through a tunnel", on: [.http1], needs: .proxies)
            { run in
                let context = try SuiteAuthority.context()
                try await run.raw { connection in
                    let connect = try await connection.readHead()
                    try expect(
                        connect.hasPrefix("CONNECT localhost:444 HTTP/1.1\r\n"), "CONNECT localhost:444", connect)
                    try expect(connect.contains("Basic for-the-proxy"), "Proxy-Authorization", connect)
                    try expect(!connect.contains("for-the-server"), "nothing for the server", connect)
                    try await connection.write("HTTP/1.1 200 Connection established\r\n\r\n", thenTLS: context)
                    while true {
                        let head = try await connection.readHead()
                        try expect(head.hasPrefix("GET /a HTTP/1.1\r\n"), "the origin form", head)
                        try expect(!head.contains("for-the-proxy"), "nothing for the proxy", head)
                        try expect(head.contains("Basic for-the-server"), "Authorization", head)
                        try await connection.respond("secure")
                    }
                } _: { client in
                    let route = ProxyRoute(
                        try ProxyServer(.http, host: "127.0.0.1", port: try client.server.port),
                        authorization: ProxyAuthorizationSource { _ in "Basic for-the-proxy" })
                    for _ in 0..<2 {
                        let response = try await client.at("https://localhost:444").expect(
                            "secure", .get, "/a", fields: [.authorization: "Basic for-the-server"]
                        ) { $0.proxy = route }
                        try expect(response.isFromProxy, is: false, "isFromProxy")
                    }
                    try client.expectConnections(1)
                }
            },
            ConformanceCase(
                .proxies, "never-around", "a proxy that cannot be reached is not bypassed", on: [.http1],
                needs: .proxies
            ) { run in
                try await run.raw(secure) { client in
                    let route = ProxyRoute(try ProxyServer(.http, host: "no-such-proxy.invalid", port: 3128))
                    try await client.expectFailure(.proxyNotResolved) { $0.proxy = route }
                    try client.expectConnections(0)
                }
            },
        ]
}

extension Client {
    /// The route through the server as a proxy.
    fileprivate func route() throws -> ProxyRoute {
        ProxyRoute(try ProxyServer(.http, host: "127.0.0.1", port: try server.port))
    }
}
