import HTTPTypes
import HttpConversation
import HttpConversationConformance
import SwiftASN1
import Testing
import X509

@testable import HttpConversationNIO

@Suite(.timeLimit(.minutes(1))) struct ProxyTransportTests {
    /// Only the proxy sees its own fields (RFC 9112 §3.2.2).
    @Test(arguments: [ProxyServer.Kind.http, .https]) func requestsInAbsoluteForm(kind: ProxyServer.Kind) async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        let heads = Log()
        try await RawServer.run { connection in
            heads.append(try await connection.readHead())
            try await connection.respond("plain")
        } _: { server in
            try await TestProxy.run(tls: kind == .https ? authority.serverContext() : nil) { proxy in
                let route = try proxy.route(kind, authorization: ProxyAuthorizationSource(fixed: "Basic not-this"))
                let text = try await transport.text(
                    .get, "\(server.url)/a?b=c", fields: [.proxyAuthorization: "Basic proxy-secret", .cookie: "a=b"]
                ) { $0.proxy = route }
                #expect(text == "plain")
                let head = try #require(proxy.heads.first)
                #expect(head.hasPrefix("GET \(server.url)/a?b=c HTTP/1.1\r\n"))
                #expect(head.contains("\r\nHost: 127.0.0.1:\(server.port)\r\n"))
                #expect(head.contains("\r\nProxy-Authorization: Basic proxy-secret\r\n"))
                #expect(proxy.heads.count == 1)
            }
        }
        #expect(heads.values.first?.hasPrefix("GET /a?b=c HTTP/1.1\r\n") == true)
        await transport.shutdown()
    }

    /// A tunnel serves its origin, and is reused. Fields for the proxy do not enter it, nor the reverse.
    @Test(arguments: [ProxyServer.Kind.http, .https, .socks5], ["localhost", "127.0.0.1"])
    func tunnels(kind: ProxyServer.Kind, host: String) async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        let heads = Log()
        try await RawServer.run(tls: authority.serverContext(), script: RawServer.answering(heads: heads)) { server in
            try await TestProxy.run(tls: kind == .https ? authority.serverContext() : nil) { proxy in
                let route = try proxy.route(
                    kind, authorization: ProxyAuthorizationSource(fixed: "Basic proxy-secret"))
                for _ in 0..<2 {
                    let text = try await transport.text(
                        .get, "https://\(host):\(server.port)/",
                        fields: [.authorization: "Basic origin-secret", .proxyAuthorization: "Basic stray"]
                    ) { $0.proxy = route }
                    #expect(text == "secure")
                }
                #expect(server.connectionCount == 1)
                #expect(proxy.tunnels == 1)
                let told = proxy.heads.joined() + String(decoding: proxy.passed, as: UTF8.self)
                #expect(!told.contains("origin-secret") && !told.contains("stray"))
                if kind == .socks5 {
                    #expect(proxy.methods == [[0]])
                    let address = host == "localhost" ? Array("localhost".utf8) : [127, 0, 0, 1]
                    #expect(
                        proxy.wanted == [.init(kind: host == "localhost" ? 3 : 1, address: address, port: server.port)])
                } else {
                    let head = try #require(proxy.heads.first)
                    #expect(
                        head.hasPrefix("CONNECT \(host):\(server.port) HTTP/1.1\r\nHost: \(host):\(server.port)\r\n"))
                    #expect(head.contains("\r\nProxy-Authorization: Basic proxy-secret\r\n"))
                }
            }
        }
        #expect(heads.values.count == 2)
        #expect(heads.values.allSatisfy { $0.contains("origin-secret") && !$0.lowercased().contains("proxy-") })
        await transport.shutdown()
    }

    /// Without TLS a request through SOCKS looks like a direct one.
    @Test func plainThroughSOCKS() async throws {
        let heads = Log()
        let transport = NIOTransport.make()
        try await RawServer.run(script: RawServer.answering("plain", heads: heads)) { server in
            try await TestProxy.run(login: "alice:wonder") { proxy in
                let route = try proxy.route(.socks5, login: ProxyLogin(username: "alice", password: "wonder"))
                for _ in 0..<2 {
                    let text = try await transport.text(
                        .get, "http://localhost:\(server.port)/x", fields: [.proxyAuthorization: "Basic stray"]
                    ) { $0.proxy = route }
                    #expect(text == "plain")
                }
                #expect(proxy.logins == ["alice:wonder"])
                #expect(proxy.methods == [[0, 2]])
                #expect(server.connectionCount == 1)
            }
        }
        #expect(heads.values.allSatisfy { $0.hasPrefix("GET /x HTTP/1.1\r\n") && !$0.contains("stray") })
        await transport.shutdown()
    }

    /// A login is sent only if the proxy asks for it.
    @Test func proxiesThatWantNoLoginGetNone() async throws {
        try await RawServer.run(script: RawServer.answering()) { server in
            try await TestProxy.run { proxy in
                let route = try proxy.route(.socks5, login: ProxyLogin(username: "alice", password: "wonder"))
                let text = try await NIOTransport.make().text(.get, server.url) { $0.proxy = route }
                #expect(text == "secure")
                #expect(proxy.logins.isEmpty)
            }
        }
    }

    /// The certificate must be for the URL's address, even if the socket's peer has another (security rule S4).
    @Test(arguments: [ProxyServer.Kind.http, .socks5], [false, true])
    func socksGetsTheAddressOfTheURL(kind: ProxyServer.Kind, isRight: Bool) async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        let context = try authority.serverContext(
            for: [.ipAddress(.init(contentBytes: [127, 0, 0, isRight ? 2 : 1]))])
        try await RawServer.run(tls: context, script: RawServer.answering()) { server in
            try await TestProxy.run { proxy in
                let route = try proxy.route(kind)
                let error = await transport.failure(.get, "https://127.0.0.2:\(server.port)/") { $0.proxy = route }
                #expect(error?.code == (isRight ? nil : .certificateNotTrusted))
                guard !isRight else { return }
                #expect((error?.underlyingError as? ServerTrustError)?.trust.problems == [.wrongName])
                // The diagnosis used the same proxy.
                #expect(proxy.tunnels == 2 && server.connectionCount == 2)
            }
        }
        await transport.shutdown()
    }

    @Test(arguments: [ProxyServer.Kind.http, .https, .socks5]) func socksGetsTheNameOfTheURL(kind: ProxyServer.Kind)
        async throws
    {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        let context = try authority.serverContext(for: [.dnsName("other.example")])
        try await RawServer.run(tls: context, script: RawServer.answering()) { server in
            try await TestProxy.run(tls: kind == .https ? authority.serverContext() : nil) { proxy in
                let route = try proxy.route(kind)
                let wrong = await transport.failure(.get, "https://localhost:\(server.port)/") { $0.proxy = route }
                #expect(wrong?.code == .certificateNotTrusted)
                #expect((wrong?.underlyingError as? ServerTrustError)?.trust.problems == [.wrongName])
                // The proxy resolves names that are unknown here.
                let text = try await transport.text(.get, "https://other.example:\(server.port)/") { $0.proxy = route }
                #expect(text == "secure")
            }
        }
        await transport.shutdown()
    }

    /// A TLS proxy is verified by its own name and trust, and gets no client certificate.
    @Test func trustInAProxyIsSeparate() async throws {
        let (servers, proxies) = (try TestAuthority(), try TestAuthority())
        let identity = try servers.identity("alice")
        let source = ClientIdentitySource { identity }
        let mutual = MutualServer(authority: proxies, version: .tls13, isOptional: true)
        let shown = Log()
        try await RawServer.run(
            tls: MutualServer(authority: servers, version: .tls12).context(), script: MutualServer.answering
        ) {
            server in
            try await RawServer.run(tls: mutual.context()) { connection in
                _ = try await connection.readHead()
                shown.append(try await connection.clientName() ?? "nobody")
                try await connection.write("HTTP/1.1 503 Busy\r\n\r\n")
            } _: { proxy in
                let url = "https://localhost:\(server.port)/"
                let route = ProxyRoute(try ProxyServer(.https, host: "localhost", port: proxy.port))
                let transport = NIOTransport.make {
                    $0.tls.trustRoots = .pem(servers.pem)
                    $0.proxyTLS = NIOTransport.TLSSettings()
                    $0.proxyTLS?.trustRoots = .pem(proxies.pem)
                }
                let response = try await transport.send(.get, url) {
                    $0.proxy = route
                    $0.clientIdentity = source
                }
                #expect(response.isFromProxy && response.head.status.code == 503)
                #expect(shown.values == ["nobody"])
                let untrusted = NIOTransport.make { $0.tls.trustRoots = .pem(servers.pem) }
                let error = await untrusted.failure(.get, url) { $0.proxy = route }
                #expect(error?.code == .certificateNotTrusted)
                #expect(error?.message.contains("The proxy https://localhost:\(proxy.port)") == true)
            }
            // The server behind the proxy gets it.
            try await TestProxy.run(tls: proxies.serverContext()) { proxy in
                let transport = NIOTransport.make {
                    $0.tls.trustRoots = .pem(servers.pem)
                    $0.proxyTLS = NIOTransport.TLSSettings()
                    $0.proxyTLS?.trustRoots = .pem(proxies.pem)
                }
                let route = try proxy.route(.https)
                let text = try await transport.text(.get, "https://localhost:\(server.port)/") {
                    $0.proxy = route
                    $0.clientIdentity = source
                }
                #expect(text.contains("alice"))
                await transport.shutdown()
            }
        }
    }

    /// The login at the proxy is part of a connection's identity (security rule S3).
    @Test(arguments: ["http", "https"]) func differentLoginsShareNoConnection(scheme: String) async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        try await RawServer.run(tls: scheme == "https" ? authority.serverContext() : nil, script: RawServer.answering())
        {
            server in
            try await TestProxy.run { proxy in
                let (alice, bob) = (
                    ProxyAuthorizationSource(fixed: "Basic a"), ProxyAuthorizationSource(fixed: "Basic b")
                )
                for source in [alice, bob, nil, alice] {
                    let route = try proxy.route(.http, authorization: source)
                    let text = try await transport.text(.get, "\(scheme)://localhost:\(server.port)/") {
                        $0.proxy = route
                    }
                    #expect(text == "secure")
                }
                guard scheme == "https" else { return }
                #expect(proxy.tunnels == 3)
                let logins = ["a", "b"].map { ProxyLogin(username: $0, password: "p") }
                for login in logins + [logins[0]] {
                    let route = try proxy.route(.socks5, login: login)
                    let text = try await transport.text(.get, "\(scheme)://localhost:\(server.port)/") {
                        $0.proxy = route
                    }
                    #expect(text == "secure")
                }
                #expect(proxy.tunnels == 5)
            }
        }
        await transport.shutdown()
    }

    @Test func http2InATunnel() async throws {
        try await HTTP2Server.run { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, 100)])
            try await peer.serve()
        } _: { server, transport, url in
            try await TestProxy.run { proxy in
                for kind in [ProxyServer.Kind.http, .socks5] {
                    let route = try proxy.route(kind)
                    let versions = try await withThrowingTaskGroup(of: ProtocolVersion?.self) { group in
                        for _ in 0..<10 {
                            group.addTask {
                                let response = try await transport.send(.get, url) { $0.proxy = route }
                                _ = try await response.body.collect(upTo: 1000)
                                return response.version
                            }
                        }
                        return try await group.reduce(into: Set()) { $0.insert($1) }
                    }
                    #expect(versions == [.http2])
                }
                #expect(proxy.tunnels == 2)
            }
        }
    }

    @Test(arguments: ProxyServer.Kind.all, ["http", "https"]) func anUnreachableProxy(
        kind: ProxyServer.Kind, scheme: String
    ) async throws {
        let transport = NIOTransport.make()
        // The port is taken on ::1 only, so connections to 127.0.0.1 are refused.
        try await RawServer.run(host: "::1") { _ in
        } _: { other in
            let refusing = ProxyRoute(try ProxyServer(kind, host: "127.0.0.1", port: other.port))
            let refused = await transport.failure(.get, "\(scheme)://h.example/") { $0.proxy = refusing }
            #expect(refused?.code == .connectionFailed)
            let name = "the proxy \(kind.rawValue)://127.0.0.1:\(other.port)"
            #expect(refused?.message.contains(name) == true)
        }
        let unknown = ProxyRoute(try ProxyServer(kind, host: "no-such-proxy.invalid"))
        let unresolved = await transport.failure(.get, "\(scheme)://127.0.0.1/") { $0.proxy = unknown }
        #expect(unresolved?.code == .proxyNotResolved)
        #expect(unresolved?.message.contains("no-such-proxy.invalid") == true)
    }

    /// A request about the whole server has no path in absolute form (RFC 9112 §3.2.4).
    @Test(arguments: [true, false]) func asterisk(isProxied: Bool) throws {
        let asked = HTTPRequest(method: .options, scheme: "http", authority: "server.example:81", path: "*")
        let request = try TransportRequest(
            target: TargetURL(asked), method: .options, headerFields: [:], body: nil, options: TransportOptions())
        var key = PoolKey(origin: request.target.origin)
        if isProxied { key.route = ProxyRoute(try ProxyServer("http://proxy.example:3128")) }
        let wire = WireRequest(request, key: key, payload: .none, configuration: .init())
        #expect(wire.head.target == (isProxied ? "http://server.example:81" : "*"))
    }
}

extension ProxyServer.Kind {
    static let all: [ProxyServer.Kind] = [.http, .https, .socks5]
}
