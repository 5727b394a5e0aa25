import HTTPTypes
import HttpConversation

extension CaseList {
    /// One exchange per call, whose response is returned unchanged.
    static let contract: [ConformanceCase] =
        [301, 302, 303, 307, 308].map { redirect($0) } + [
            ConformanceCase(.contract, "redirect-of-a-post", "a POST is not redirected either", on: everywhere) {
                run in
                let count = Counter()
                try await run.serve { exchange in
                    count.add()
                    _ = try await exchange.body()
                    return ConformanceReply(.temporaryRedirect, [.location: "/next"], "moved")
                } _: { client in
                    try await client.expect("moved", status: .temporaryRedirect, .post, body: .text("x"))
                    try expect(count.value, is: 1, "requests")
                }
            },
            ConformanceCase(.contract, "refresh", "a Refresh field is not followed", on: everywhere) { run in
                let count = Counter()
                try await run.serve { _ in
                    count.add()
                    return ConformanceReply(.ok, fields(("Refresh", "0;url=/next")), "stay")
                } _: { client in
                    try await client.expect("stay")
                    try expect(count.value, is: 1, "requests")
                }
            },
            ConformanceCase(.contract, "created", "a Location without a redirect is handed over", on: everywhere) {
                run in
                try await run.serve { _ in
                    ConformanceReply(.created, [.location: "/new"], "made")
                } _: { client in
                    let response = try await client.expect("made", status: .created, .put, body: .text("x"))
                    try expect(response.head.headerFields[.location], is: "/new", "Location")
                }
            },
            ConformanceCase(.contract, "cookies-are-not-kept", "cookies are nobody's business here", on: everywhere) {
                run in
                try await run.serve { exchange in
                    ConformanceReply(
                        .ok, [.setCookie: "sid=secret; Path=/"], exchange.values("cookie").joined(separator: "|"))
                } _: { client in
                    try await client.expect("")
                    try await client.expect("")
                    try await client.expect("a=b", fields: [.cookie: "a=b"])
                }
            },
            ConformanceCase(.contract, "cookies-stay-apart", "each Set-Cookie is a field of its own", on: everywhere) {
                run in
                let cookies = ["a=1; Expires=Wed, 21 Oct 2065 07:28:00 GMT", "b=2; HttpOnly", "c=3"]
                try await run.serve { _ in
                    var fields = HTTPFields()
                    for cookie in cookies { fields.append(HTTPField(name: .setCookie, value: cookie)) }
                    return ConformanceReply(.ok, fields, "ok")
                } _: { client in
                    let response = try await client.expect("ok")
                    try expect(response.head.headerFields[values: .setCookie], is: cookies, "Set-Cookie")
                }
            },
            ConformanceCase(.contract, "unauthorized", "a 401 is not answered", on: everywhere) { run in
                let count = Counter()
                try await run.serve { exchange in
                    count.add()
                    return ConformanceReply(
                        .unauthorized, [.wwwAuthenticate: "Basic realm=\"a, b\", Bearer"],
                        "no \(exchange.values("authorization").count)")
                } _: { client in
                    let response = try await client.expect("no 0", status: .unauthorized)
                    try expect(
                        response.head.headerFields[.wwwAuthenticate], is: "Basic realm=\"a, b\", Bearer",
                        "WWW-Authenticate")
                    try expect(count.value, is: 1, "requests")
                }
            },
            ConformanceCase(.contract, "authorization-is-not-kept", "credentials go with one request", on: everywhere) {
                run in
                try await run.serve { exchange in
                    ConformanceReply(.ok, [:], exchange.values("authorization").joined(separator: "|"))
                } _: { client in
                    try await client.expect("Basic YTpi", fields: [.authorization: "Basic YTpi"])
                    try await client.expect("")
                }
            },
            ConformanceCase(.contract, "userinfo", "a password in the URL is not sent", on: everywhere) { run in
                try await run.serve { exchange in
                    ConformanceReply(.ok, [:], "\(exchange.path) \(exchange.values("authorization").count)")
                } _: { client in
                    let url = client.url.replacing("://", with: "://user:secret@")
                    try await client.at(url).expect("/a 0", .get, "/a")
                }
            },
            ConformanceCase(
                .contract, "proxy-status-of-a-server", "a server's own 407 is a response like any other", on: everywhere
            ) { run in
                try await run.serve { _ in
                    ConformanceReply(.proxyAuthenticationRequired, [.proxyAuthenticate: "Basic realm=x"], "no")
                } _: { client in
                    let response = try await client.expect("no", status: .proxyAuthenticationRequired)
                    try expect(response.isFromProxy, is: false, "isFromProxy")
                }
            },
            ConformanceCase(.contract, "no-cache", "a fresh response is asked for again", on: everywhere) { run in
                let count = Counter()
                try await run.serve { _ in
                    ConformanceReply(.ok, [.cacheControl: "max-age=3600", .eTag: "\"1\""], "\(count.add())")
                } _: { client in
                    try await client.expect("1")
                    try await client.expect("2")
                }
            },
            ConformanceCase(.contract, "not-modified", "a 304 is the caller's", on: everywhere) { run in
                try await run.serve { exchange in
                    exchange.values("if-none-match") == ["\"1\""]
                        ? ConformanceReply(.notModified, [.eTag: "\"1\""]) : ConformanceReply(.ok, [:], "new")
                } _: { client in
                    try await client.expect("", status: .notModified, fields: [.ifNoneMatch: "\"1\""])
                    try await client.expect("new")
                }
            },
            ConformanceCase(.contract, "nothing-is-repeated", "errors of servers are not tried again", on: everywhere) {
                run in
                for status: HTTPResponse.Status in [
                    .requestTimeout, .tooManyRequests, .internalServerError, .serviceUnavailable,
                ] {
                    let count = Counter()
                    try await run.serve { _ in
                        count.add()
                        return ConformanceReply(status, [.retryAfter: "0"], "later")
                    } _: { client in
                        try await client.expect("later", status: status)
                        try expect(count.value, is: 1, "requests that were answered with \(status.code)")
                    }
                }
            },
            ConformanceCase(.contract, "repeated-fields", "fields of one name keep their order", on: everywhere) {
                run in
                try await run.serve { _ in
                    ConformanceReply(.ok, fields(("X-List", "1"), ("X-Other", "o"), ("X-List", "2, 3")), "ok")
                } _: { client in
                    let response = try await client.expect("ok")
                    let name =
                        try HTTPField.Name("X-List") ?? { throw Mismatch(expected: "a name", happened: "none") }()
                    let values = response.head.headerFields[values: name].joined(separator: ", ")
                    try expect(values, is: "1, 2, 3", "X-List")
                }
            },
            ConformanceCase(.contract, "many-at-once", "each request gets its own response", on: everywhere) { run in
                try await run.serve {
                    ConformanceReply(.ok, [:], $0.path)
                } _: { client in
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for number in 0..<30 {
                            group.addTask { try await client.expect("/\(number)", .get, "/\(number)") }
                        }
                        try await group.waitForAll()
                    }
                }
            },
            ConformanceCase(.contract, "version", "the version is the one that was spoken", on: network) { run in
                try await run.serve { _ in
                    ConformanceReply(.ok, [:], "ok")
                } _: { client in
                    let version = try await client.expect("ok").version
                    let spoken = run.wire == .http2 ? ProtocolVersion.http2 : .http11
                    try expect(
                        version == nil || version == spoken, "\(spoken), or unknown", "\(version?.description ?? "")")
                }
            },
        ]
        + [200, 202, 203, 206, 226, 299, 300, 305, 400, 402, 403, 404, 410, 418, 451, 499, 501, 505, 511, 599].map {
            status($0)
        }

    private static func redirect(_ code: Int) -> ConformanceCase {
        ConformanceCase(.contract, "redirect-\(code)", "a \(code) is not followed", on: everywhere) { run in
            let count = Counter()
            try await run.serve { exchange in
                count.add()
                guard exchange.path == "/" else { return ConformanceReply(.ok, [:], "followed") }
                return ConformanceReply(.init(code: code), [.location: "/next"], "moved")
            } _: { client in
                let response = try await client.expect("moved", status: .init(code: code))
                try expect(response.head.headerFields[.location], is: "/next", "Location")
                try expect(count.value, is: 1, "requests")
            }
        }
    }

    private static func status(_ code: Int) -> ConformanceCase {
        ConformanceCase(.contract, "status-\(code)", "a \(code) is a response", on: everywhere) { run in
            try await run.serve { _ in
                ConformanceReply(.init(code: code), [:], "text of \(code)")
            } _: { client in
                try await client.expect("text of \(code)", status: .init(code: code))
            }
        }
    }
}
