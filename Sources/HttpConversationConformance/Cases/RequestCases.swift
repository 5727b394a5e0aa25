import HTTPTypes
import HttpConversation

extension CaseList {
    /// Requests as they arrive at the server.
    static let requests: [ConformanceCase] =
        ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "M-SEARCH"].map { method($0) } + [
            ConformanceCase(.requests, "target", "path and query arrive as they are written", on: everywhere) { run in
                try await run.serve {
                    ConformanceReply(.ok, [:], $0.path)
                } _: { client in
                    for path in ["/", "/a%2Fb;c=d?x=%20y&z=+&&#part", "/%C3%A9", "/a//b", "/?", "/$()'*,:@!~-._"] {
                        try await client.expect(String(path.prefix { $0 != "#" }), .get, path)
                    }
                }
            },
            ConformanceCase(.requests, "no-path", "without a path it is /", on: network) { run in
                try await run.serve {
                    ConformanceReply(.ok, [:], $0.path)
                } _: { client in
                    try await client.expect("/", .get, "")
                    try await client.expect("/?a", .get, "?a")
                }
            },
            ConformanceCase(.requests, "asterisk", "OPTIONS * asks about the server (RFC 9112 §3.2.4)", on: [.http1]) {
                run in
                try await run.serve {
                    ConformanceReply(.ok, [:], "\($0.method) \($0.path)")
                } _: { client in
                    let authority = String(client.url.dropFirst("http://".count))
                    let request = HTTPRequest(method: .options, scheme: "http", authority: authority, path: "*")
                    let response = try await client.transport.send(
                        TransportRequest(
                            target: try TargetURL(request), method: .options, headerFields: [:], body: nil,
                            options: .init()))
                    try expect(
                        String(decoding: try await response.body.collect(upTo: 100), as: UTF8.self), is: "OPTIONS *",
                        "arrived")
                }
            },
            ConformanceCase(.requests, "host", "Host is the target's, regardless of the fields", on: [.http1]) { run in
                try await run.serve {
                    ConformanceReply(.ok, [:], $0.values("host").joined(separator: "|"))
                } _: { client in
                    let host = String(client.url.dropFirst("http://".count))
                    try await client.expect(host, fields: fields(("Host", "evil.example")))
                }
            },
            ConformanceCase(
                .requests, "own-host", "Host is that of the options, for that exchange only",
                on: network, needs: .hostField
            ) { run in
                try await run.serve {
                    ConformanceReply(.ok, [:], $0.authority)
                } _: { client in
                    let own = client.url.split(separator: "/").last.map(String.init) ?? ""
                    for name in ["app.example", "APP.example:0081", "[::9]:1"] {
                        let host = try HostField(name)
                        try await client.expect(name, fields: fields(("Host", "evil.example"))) {
                            $0.hostField = host
                        }
                        try await client.expect(own)
                    }
                    try client.expectConnections(1)
                }
            },
            ConformanceCase(
                .requests, "owners", "exchanges of different owners, and those of none, share no connection",
                on: network, needs: .connectionOwners
            ) { run in
                try await run.serve { _ in
                    ConformanceReply(.ok, [:], "mine")
                } _: { client in
                    let owners = [ConnectionOwner(), ConnectionOwner()]
                    for _ in 0..<2 {
                        for owner in owners { try await client.expect("mine") { $0.connectionOwner = owner } }
                        try await client.expect("mine")
                    }
                    try client.expectConnections(3)
                }
            },
            ConformanceCase(
                .requests, "framing-fields", "framing is the transport's, regardless of the fields", on: [.http1]
            ) { run in
                try await run.serve { exchange in
                    let bytes = try await exchange.body()
                    let framing = exchange.values("content-length") + exchange.values("transfer-encoding")
                    return ConformanceReply(.ok, [:], "\(bytes) \(framing)")
                } _: { client in
                    let wrong = fields(
                        ("Content-Length", "7"), ("Transfer-Encoding", "chunked"), ("Connection", "close"))
                    try await client.expect("[1, 2] [\"2\"]", .post, fields: wrong, body: .bytes([1, 2]))
                    try await client.expect("[] []", fields: wrong)
                    try client.expectConnections(1)
                }
            },
            ConformanceCase(.requests, "hop-by-hop", "fields of a connection are not sent on", on: [.http1]) { run in
                try await run.serve { exchange in
                    ConformanceReply(
                        .ok, [:],
                        ["te", "upgrade", "keep-alive", "proxy-connection"].filter { !exchange.values($0).isEmpty }
                            .joined(separator: "|"))
                } _: { client in
                    try await client.expect(
                        "",
                        fields: fields(
                            ("TE", "trailers"), ("Upgrade", "websocket"), ("Keep-Alive", "x"), ("Proxy-Connection", "x")
                        ))
                }
            },
            ConformanceCase(
                .requests, "forbidden-in-http2", "no field of HTTP/1.1 connections goes over HTTP/2 (RFC 9113 §8.2.2)",
                on: [.http2]
            ) { run in
                try await run.serve { exchange in
                    let forbidden = [
                        "connection", "transfer-encoding", "upgrade", "keep-alive", "proxy-connection", "host",
                    ]
                    let names = exchange.fields.map(\.name)
                    return ConformanceReply(
                        .ok, [:],
                        names.filter { forbidden.contains($0) || $0 != $0.lowercased() }.joined(separator: "|"))
                } _: { client in
                    try await client.expect(
                        "", fields: fields(("Connection", "close"), ("Upgrade", "h2c"), ("Host", "x"), ("X-Upper", "A"))
                    )
                }
            },
            ConformanceCase(
                .requests, "nothing-added", "nothing is added that the caller does not know of", on: everywhere
            ) { run in
                try await run.serve { exchange in
                    let known: Set = [
                        "host", "accept-encoding", "content-length", "connection", "accept", "user-agent", "x-mine",
                    ]
                    return ConformanceReply(
                        .ok, [:], exchange.fields.map(\.name).filter { !known.contains($0) }.joined(separator: "|"))
                } _: { client in
                    try await client.expect("", fields: fields(("Accept", "a/b"), ("X-Mine", "1")))
                }
            },
            ConformanceCase(.requests, "fields", "fields arrive with their values", on: everywhere) { run in
                try await run.serve { exchange in
                    ConformanceReply(
                        .ok, [:],
                        (exchange.values("accept") + exchange.values("x-list") + exchange.values("x-empty")).joined(
                            separator: ", "))
                } _: { client in
                    try await client.expect(
                        "text/plain;q=0.5, 1, 2, ",
                        fields: fields(
                            ("Accept", "text/plain;q=0.5"), ("X-List", "1"), ("X-List", "2"), ("X-Empty", "")))
                }
            },
            ConformanceCase(.requests, "large-field", "a field of 12 KiB arrives", on: everywhere) { run in
                let value = String(repeating: "v", count: 12 << 10)
                try await run.serve {
                    ConformanceReply(.ok, [:], "\($0.values("x-large").first?.count ?? 0)")
                } _: { client in
                    try await client.expect("\(value.count)", fields: fields(("X-Large", value)))
                }
            },
            ConformanceCase(
                .requests, "accept-encoding", "content codings are asked for where they are undone", on: network
            ) { run in
                try await run.serve {
                    ConformanceReply(.ok, [:], $0.values("accept-encoding").joined(separator: "|"))
                } _: { client in
                    let asked = try await client.bytes()
                    try expect(
                        String(decoding: asked, as: UTF8.self).contains("gzip"), "gzip in Accept-Encoding", "\(asked)")
                    try await client.expect("") { $0.decompresses = false }
                    try await client.expect("br", fields: [.acceptEncoding: "br"])
                }
            },
            ConformanceCase(
                .requests, "range-identity", "no coding is asked for with a range, which counts the bytes as sent",
                on: network
            ) { run in
                try await run.serve {
                    ConformanceReply(.ok, [:], $0.values("accept-encoding").joined(separator: "|"))
                } _: { client in
                    try await client.expect("identity", fields: [.range: "bytes=0-9"])
                    try await client.expect("br", fields: [.range: "bytes=0-9", .acceptEncoding: "br"])
                }
            },
            ConformanceCase(.requests, "no-body", "without a body there is no length, or it is 0", on: [.http1]) {
                run in
                try await run.serve { exchange in
                    ConformanceReply(
                        .ok, [:],
                        (exchange.values("content-length") + exchange.values("transfer-encoding")).joined(
                            separator: "|"))
                } _: { client in
                    try await client.expect("")
                    try await client.expect("0", .post)
                    try await client.expect("0", .put)
                }
            },
        ]

    private static func method(_ name: String) -> ConformanceCase {
        ConformanceCase(.requests, "method-\(name.lowercased())", "\(name) arrives as it is", on: everywhere) { run in
            try await run.serve {
                ConformanceReply(.ok, [:], $0.method)
            } _: { client in
                try await client.expect(name, .init(name) ?? .get)
            }
        }
    }
}
