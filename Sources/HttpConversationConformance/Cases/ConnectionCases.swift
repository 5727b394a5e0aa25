import Foundation
import HTTPTypes
import HttpConversation
import NIOSSL
import Synchronization
import X509

extension CaseList {
    static let connecting: [ConformanceCase] = [
        ConformanceCase(.connecting, "refused", "a port that nobody listens at", on: [.http1]) { stage in
            let gone = Mutex(0)
            try await stage.raw { _ in
            } _: { client in
                gone.withLock { $0 = (try? client.server.port) ?? 0 }
            }
            let port = gone.withLock { $0 }
            try await stage.use(stage.transport()) { transport in
                for host in ["127.0.0.1", "localhost"] {
                    let client = Client(transport, url: "http://\(host):\(port)", server: nil)
                    let error = try await client.expectFailure(.connectionFailed)
                    try expect(error.message.contains("\(host):\(port)"), "host and port in the message", error.message)
                }
            }
        },
        ConformanceCase(.connecting, "unresolved", "a name without an address", on: [.http1]) { stage in
            try await stage.use(stage.transport()) { transport in
                let client = Client(transport, url: "http://no-such-host.invalid:81", server: nil)
                let error = try await client.expectFailure(.hostNotResolved)
                try expect(error.message.contains("no-such-host.invalid"), "the name in the message", error.message)
            }
        },
        ConformanceCase(.connecting, "shut-down", "a transport that is shut down refuses", on: network) { stage in
            try await stage.serve { _ in
                ConformanceReply(.ok, [:], "ok")
            } _: { client in
                try await client.expect("ok")
                await client.transport.shutdown()
                try await client.expectFailure(.shutDown)
                await client.transport.shutdown()
            }
        },
        ConformanceCase(.connecting, "shutting-down", "what is running may end before a transport does", on: network) {
            stage in
            let arrived = Gate()
            let gate = Gate()
            try await stage.serve { exchange in
                arrived.open()
                await gate.wait()
                return ConformanceReply(.ok, [:], "ok")
            } _: { client in
                async let running = client.expect("ok")
                await arrived.wait()
                async let shutdown: Void = client.transport.shutdown()
                try await Task.sleep(for: .milliseconds(20))
                gate.open()
                _ = try await running
                await shutdown
            }
        },
        ConformanceCase(
            .connecting, "idle-connections-close", "a transport that is shut down keeps no connection", on: [.http1]
        ) { stage in
            try await stage.raw(answering(latin1("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))) { client in
                try await client.expect("ok")
                await client.transport.shutdown()
                try await client.expectClosed(1)
            }
        },
        ConformanceCase(.connecting, "two-origins", "connections of one server serve no other", on: [.http1]) { stage in
            let script = { @Sendable (name: String) -> RawServer.Script in
                answering(latin1("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(name)"))
            }
            try await stage.raw(script("a")) { one in
                try await RawServer.run(script: script("b")) { server in
                    let other = one.at("http://127.0.0.1:\(server.port)")
                    for _ in 0..<2 {
                        try await one.expect("a")
                        try await other.expect("b")
                    }
                    try one.expectConnections(1)
                    try expect(server.connectionCount, is: 1, "connections to the other server")
                }
            }
        },
    ]

    // MARK: TLS

    private static let secure = answering(latin1("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecure"))

    static let tls: [ConformanceCase] =
        ["localhost", "127.0.0.1"].flatMap { host in
            [
                ConformanceCase(.tls, "trusted-\(slug(host))", "a certificate for \(host) is trusted", on: [.http1]) {
                    stage in
                    try await stage.raw(tls: SuiteAuthority.context(), host: host, secure) { client in
                        for _ in 0..<2 { try await client.expect("secure") }
                        try client.expectConnections(1)
                    }
                },
                ConformanceCase(
                    .tls, "other-name-than-\(slug(host))", "a certificate for another name than \(host)", on: [.http1]
                ) { stage in
                    let context = try SuiteAuthority.authority.get().serverContext(
                        for: [.dnsName("other.example"), .ipAddress(.init(contentBytes: [127, 0, 0, 2]))])
                    try await stage.raw(tls: context, host: host, secure) { client in
                        try await client.expectFailure(.certificateNotTrusted)
                    }
                },
            ]
        } + [
            ConformanceCase(.tls, "expired", "an expired certificate", on: [.http1]) { stage in
                let context = try SuiteAuthority.authority.get().serverContext(notAfter: Date() - 60)
                try await stage.raw(tls: context, host: "localhost", secure) { client in
                    try await client.expectFailure(.certificateNotTrusted)
                }
            },
            ConformanceCase(.tls, "not-yet-valid", "a certificate that is not valid yet", on: [.http1]) { stage in
                let context = try SuiteAuthority.authority.get().serverContext(notBefore: Date() + 600)
                try await stage.raw(tls: context, host: "localhost", secure) { client in
                    try await client.expectFailure(.certificateNotTrusted)
                }
            },
            ConformanceCase(.tls, "unknown-issuer", "a certificate of another authority", on: [.http1]) { stage in
                try await stage.raw(tls: TestAuthority().serverContext(), host: "localhost", secure) { client in
                    try await client.expectFailure(.certificateNotTrusted)
                    try await client.expectFailure(.certificateNotTrusted)
                }
            },
            ConformanceCase(.tls, "nothing-is-sent", "nothing is sent to a server that is not trusted", on: [.http1]) {
                stage in
                let received = Counter()
                try await stage.raw(tls: TestAuthority().serverContext(), host: "localhost") { connection in
                    while let bytes = try await connection.read() { received.add(bytes.count) }
                } _: { client in
                    try await client.expectFailure(.certificateNotTrusted, fields: [.authorization: "Basic c2VjcmV0"])
                    try expect(received.value, is: 0, "bytes at the server")
                }
            },
            ConformanceCase(.tls, "no-tls", "a server that speaks no TLS", on: [.http1]) { stage in
                try await stage.raw { connection in
                    _ = try await connection.read()
                    try await connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
                } _: { client in
                    try await client.at("https://localhost:\(try client.server.port)").expectFailure(.tlsFailed)
                }
            },
            ConformanceCase(.tls, "closed-in-the-handshake", "a server that goes in the handshake", on: [.http1]) {
                stage in
                try await stage.raw {
                    _ = try await $0.read()
                } _: { client in
                    try await client.at("https://localhost:\(try client.server.port)").expectFailure(.tlsFailed)
                }
            },
            ConformanceCase(
                .tls, "cut-without-closing", "a connection that ends without TLS saying so is no end of a body",
                on: [.http1]
            ) { stage in
                let received = Gate()
                try await stage.raw(tls: SuiteAuthority.context(), host: "localhost") { connection in
                    _ = try await connection.readHead()
                    try await connection.write("HTTP/1.1 200 OK\r\n\r\nabc")
                    await received.wait()
                    try await connection.cutTLS()
                } _: { client in
                    let body = try await client.send().body
                    try expect(try await body.next(), is: Array("abc".utf8), "the first chunk")
                    received.open()
                    do throws(ConversationError) {
                        while try await body.next() != nil {}
                        throw ConversationError(.internalInconsistency, "It ended as if it were whole.")
                    } catch { try Client.check(error, [.receiveFailed, .bodyCut]) }
                }
            },
            policy("asked", "a trust policy is asked about good certificates, too", isKnown: true, refuses: false),
            policy("refuses", "a trust policy may refuse a good certificate", isKnown: true, refuses: true),
            policy("accepts", "a trust policy may accept an unknown issuer", isKnown: false, refuses: false),
            policy("refuses-unknown", "a trust policy may refuse an unknown issuer", isKnown: false, refuses: true),
            identity(
                "not-asked", "without a server that wants a certificate nobody is asked", wants: false, .success(nil)),
            identity(
                "none", "a server that wants a certificate may be told that there is none", wants: true, .success(nil)),
            identity(
                "fails", "a provider that fails ends the exchange with its error", wants: true,
                .failure(ConversationError(.clientCertificateUnusable, "The provider of the case fails."))),
            ConformanceCase(
                .tls, "identity-cancelled", "waiting for a certificate ends at once", on: [.http1],
                needs: .clientCertificates
            ) { stage in
                let asked = Gate()
                try await stage.raw(tls: wantingCertificates(), host: "localhost", secure) { client in
                    let source = ClientIdentitySource {
                        asked.open()
                        try await Task.sleep(for: .seconds(3600))
                        return nil
                    }
                    let task = Task { await client.failure { $0.clientIdentity = source } }
                    await asked.wait()
                    try await Client.expectCancelled(task)
                    try await client.expectClosed(1)
                }
            },
        ]

    private static func policy(_ name: String, _ title: String, isKnown: Bool, refuses: Bool) -> ConformanceCase {
        ConformanceCase(.tls, "policy-\(name)", title, on: [.http1], needs: .serverTrust) { stage in
            let seen = Mutex<[(Set<ServerTrust.Problem>, String)]>([])
            let context = isKnown ? try SuiteAuthority.context() : try TestAuthority().serverContext()
            try await stage.raw(tls: context, host: "localhost", secure) { client in
                let policy = ServerTrustPolicy { trust, origin in
                    seen.withLock { $0.append((trust.problems, origin.host)) }
                    if refuses { throw ConversationError(.publicKeyNotPinned, "The policy of the case refuses.") }
                }
                if refuses {
                    try await client.expectFailure(.publicKeyNotPinned) { $0.serverTrust = policy }
                } else {
                    try await client.expect("secure") { $0.serverTrust = policy }
                }
                let (problems, host) = seen.withLock(\.first) ?? ([], "nobody was asked")
                try expect(problems, is: isKnown ? [] : [.unknownIssuer], "the problems that it was told")
                try expect(host, is: "localhost", "the host that it was told")
                // What one policy accepted speaks for nobody else.
                if !isKnown { try await client.expectFailure(.certificateNotTrusted) }
            }
        }
    }

    private static func wantingCertificates() throws -> NIOSSLContext {
        let authority = try SuiteAuthority.authority.get()
        var configuration = try authority.serverConfiguration()
        configuration.certificateVerification = .optionalVerification
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(authority.pem))
        return try NIOSSLContext(configuration: configuration)
    }

    private static func identity(
        _ name: String, _ title: String, wants: Bool, _ answer: Result<ClientIdentity?, ConversationError>
    ) -> ConformanceCase {
        ConformanceCase(.tls, "identity-\(name)", title, on: [.http1], needs: .clientCertificates) { stage in
            let asked = Counter()
            let context = wants ? try wantingCertificates() : try SuiteAuthority.context()
            try await stage.raw(tls: context, host: "localhost", secure) { client in
                let source = ClientIdentitySource {
                    asked.add()
                    return try answer.get()
                }
                if case .failure(let error) = answer {
                    try await client.expectFailure(error.code) { $0.clientIdentity = source }
                } else {
                    try await client.expect("secure") { $0.clientIdentity = source }
                }
                try expect(asked.value, is: wants ? 1 : 0, "questions")
            }
        }
    }

    // MARK: Proxies

    static let proxies: [ConformanceCase] =
        [
            ("forbidden", "403 Forbidden", 403), ("login-wanted", "407 Proxy Authentication Required", 407),
            ("bad-gateway", "502 Bad Gateway", 502),
        ].map { name, status, code in
            ConformanceCase(
                .proxies, name, "a proxy's \(code) to CONNECT is a response of the proxy's", on: [.http1],
                needs: .proxies
            ) { stage in
                try await stage.raw { connection in
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
                stage in
                try await stage.raw(answeringOnce(answer)) { client in
                    let route = try client.route()
                    try await client.at("https://h.example").expectFailure(.proxyHandshakeFailed) { $0.proxy = route }
                    try await client.expectClosed(1)
                }
            }
        } + [
            ConformanceCase(
                .proxies, "absolute-form", "without TLS requests go in absolute form (RFC 9112 §3.2.2)", on: [.http1],
                needs: .proxies
            ) { stage in
                try await stage.raw { connection in
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
            { stage in
                let context = try SuiteAuthority.context()
                try await stage.raw { connection in
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
                .proxies, "never-around", "where a proxy is not to be reached, nothing goes around it", on: [.http1],
                needs: .proxies
            ) { stage in
                try await stage.raw(secure) { client in
                    let route = ProxyRoute(try ProxyServer(.http, host: "no-such-proxy.invalid", port: 3128))
                    try await client.expectFailure(.proxyNotResolved) { $0.proxy = route }
                    try client.expectConnections(0)
                }
            },
        ]
}

extension Client {
    /// The way through the server, as a proxy.
    fileprivate func route() throws -> ProxyRoute {
        ProxyRoute(try ProxyServer(.http, host: "127.0.0.1", port: try server.port))
    }
}
