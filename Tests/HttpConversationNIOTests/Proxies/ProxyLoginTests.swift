import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationConformance
import Testing

@testable import HttpConversationNIO

/// Logins at proxies, from a manager down to the wire.
@Suite(.timeLimit(.minutes(1))) struct ProxyLoginTests {
    private static let alice = ProxyLogin(username: "alice", password: "proxy-secret")

    /// A server that demands a password, and logs the heads of requests.
    private static func server(_ heads: Log) -> RawServer.Script {
        { connection in
            while true {
                let head = try await connection.readHead()
                heads.append(head)
                if ProxyGuards.field("Authorization", in: head) == "Basic "
                    + Data("bob:origin-secret".utf8).base64EncodedString()
                {
                    try await connection.respond("in", headers: "Set-Cookie: session=origin-cookie\r\n")
                } else {
                    try await connection.write(
                        "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"S\"\r\nProxy-Authenticate: Basic realm=\"trap\"\r\nContent-Length: 0\r\n\r\n"
                    )
                }
            }
        }
    }

    private static func manager(
        _ transport: NIOTransport, _ server: ProxyServer, _ configurators: any ManagerConfigurator...
    ) -> HttpConversationManager {
        var configuration = HttpConversationManager.Configuration(applying: configurators)
        configuration.proxies = .always(server)
        return HttpConversationManager(transport: transport, configuration: configuration)
    }

    enum Way: CaseIterable { case login, provider }

    /// Both accept us, and neither sees the other's password: counted at both.
    @Test(arguments: [ProxyServer.Kind.http, .https], ["http", "https"]) func twoPasswords(
        kind: ProxyServer.Kind, scheme: String
    ) async throws {
        for isDigest in [false, true] {
            for way in Way.allCases {
                try await twoPasswords(kind, scheme, isDigest: isDigest, way)
            }
        }
    }

    private func twoPasswords(
        _ kind: ProxyServer.Kind, _ scheme: String, isDigest: Bool, _ way: Way
    ) async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        let heads = Log()
        let digest = DigestGuard("alice", "proxy-secret")
        let admits = isDigest ? { @Sendable head in digest.admit(head) } : ProxyGuards.basic("alice:proxy-secret")
        try await RawServer.run(tls: scheme == "https" ? authority.serverContext() : nil, script: Self.server(heads)) {
            server in
            try await TestProxy.run(tls: kind == .https ? authority.serverContext() : nil, admits: admits) { proxy in
                let url = "\(scheme)://localhost:\(server.port)/"
                let origin = CommonAuthenticationConfigurator.password("bob", "origin-secret", for: url)
                let proxyURL = try proxy.server(kind).origin.description
                let manager =
                    way == .login
                    ? Self.manager(transport, try proxy.server(kind, login: Self.alice), origin)
                    : Self.manager(
                        transport, try proxy.server(kind), origin,
                        .password("alice", "proxy-secret", forProxy: proxyURL))
                for _ in 0..<2 {
                    let response = try await manager.get(url)
                    #expect(response.text == "in")
                }
                let told = proxy.heads.joined()
                let passed = String(decoding: proxy.passed, as: UTF8.self)
                let asked = proxy.heads.filter { ProxyGuards.field("Proxy-Authorization", in: $0) != nil }
                #expect(!asked.isEmpty && proxy.heads.count == asked.count + 1)
                if scheme == "https" {
                    #expect(proxy.tunnels == 1)
                    let secret = Data("bob:origin-secret".utf8).base64EncodedString()
                    #expect(!told.contains(secret) && !passed.contains(secret))
                    #expect(!told.contains("origin-cookie") && !told.lowercased().contains("\r\ncookie"))
                }
                #expect(!passed.lowercased().contains("proxy-auth"))
                #expect(manager.configuration.session.cookies.snapshot.cookies.map(\.name) == ["session"])
            }
        }
        #expect(heads.values.count >= 3)
        #expect(heads.values.allSatisfy { !$0.lowercased().contains("proxy-") && !$0.contains("proxy=1") })
        let secret = Data("alice:proxy-secret".utf8).base64EncodedString()
        #expect(heads.values.allSatisfy { !$0.contains(secret) })
        await transport.shutdown()
    }

    /// Digest is used if both are offered, also later (security rule S10).
    @Test func digestRatherThanBasic() async throws {
        let digest = DigestGuard("alice", "proxy-secret", alsoBasic: true)
        try await RawServer.run(script: RawServer.answering()) { server in
            try await TestProxy.run(admits: { digest.admit($0) }) { proxy in
                let manager = Self.manager(
                    NIOTransport.make(), try proxy.server(.http, login: Self.alice), CommonAuthenticationConfigurator())
                let response = try await manager.get("\(server.url)/a?b=c")
                #expect(response.text == "secure")
                #expect(
                    proxy.heads.allSatisfy {
                        ProxyGuards.field("Proxy-Authorization", in: $0)?.hasPrefix("Basic") != true
                    })
                #expect(digest.account == .init(accepted: 1, without: 1))
            }
        }
    }

    /// A stale nonce costs one more request, and no new connection.
    @Test(arguments: ["http", "https"]) func staleNonces(scheme: String) async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        let digest = DigestGuard("alice", "proxy-secret", usesPerNonce: 2)
        try await RawServer.run(tls: scheme == "https" ? authority.serverContext() : nil) { connection in
            _ = try await connection.readHead()
            try await connection.respond("secure", headers: "Connection: close\r\n")
        } _: { server in
            try await TestProxy.run(admits: { digest.admit($0) }) { proxy in
                let manager = Self.manager(
                    transport, try proxy.server(.http, login: Self.alice), CommonAuthenticationConfigurator())
                for _ in 0..<5 {
                    let response = try await manager.get("\(scheme)://localhost:\(server.port)/")
                    #expect(response.text == "secure")
                }
                #expect(digest.account == .init(accepted: 5, stale: 2, without: 1))
            }
        }
        await transport.shutdown()
    }

    /// Concurrent requests use each count once, and all succeed.
    @Test(arguments: ["http", "https"]) func manyAtOnce(scheme: String) async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        let digest = DigestGuard("alice", "proxy-secret")
        try await RawServer.run(
            tls: scheme == "https" ? authority.serverContext() : nil, script: RawServer.answering()
        ) { server in
            try await TestProxy.run(admits: { digest.admit($0) }) { proxy in
                let manager = Self.manager(
                    transport, try proxy.server(.http, login: Self.alice), CommonAuthenticationConfigurator())
                let texts = try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<40 {
                        group.addTask { try await manager.get("\(scheme)://localhost:\(server.port)/").text }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(texts == Array(repeating: "secure", count: 40))
                let account = digest.account
                #expect(account.refused == 0 && account.repeated == 0 && account.stale == 0)
                // Exchanges that wait for a tunnel share one challenge; in absolute form each gets its own.
                #expect(account.without <= (scheme == "https" ? 39 : 40))
            }
        }
        await transport.shutdown()
    }

    @Test(arguments: ["http", "https"]) func aWrongLogin(scheme: String) async throws {
        let transport = NIOTransport.make()
        try await RawServer.run(script: RawServer.answering()) { server in
            try await TestProxy.run(admits: ProxyGuards.basic("alice:right")) { proxy in
                let url = "\(scheme)://localhost:\(server.port)/"
                let configured = try proxy.server(.http, login: Self.alice)
                let manager = Self.manager(transport, configured, CommonAuthenticationConfigurator())
                if scheme == "https" {
                    let error = await #expect(throws: ConversationError.self) { try await manager.get(url) }
                    #expect(error?.code == .proxyRefused)
                    #expect(error?.message.contains("was not accepted") == true)
                    #expect(error?.message.contains("proxy-secret") == false)
                } else {
                    let response = try await manager.get(url)
                    #expect(response.status == .proxyAuthenticationRequired && response.text == "page")
                    #expect(manager.configuration.session.cookies.snapshot.cookies.isEmpty)
                }
                #expect(proxy.heads.count == 2)
                // Another manager that knows a password for the proxy.
                let other = Self.manager(
                    transport, configured, .password("alice", "right", forProxy: configured.origin))
                if scheme == "http" {
                    let response = try await other.get(url)
                    #expect(response.text == "secure")
                    #expect(proxy.heads.count == 5)
                }
            }
        }
        await transport.shutdown()
    }

    /// A password for a server is not used for a proxy.
    @Test func proxiesNeverGetAServersPassword() async throws {
        let transport = NIOTransport.make()
        try await TestProxy.run(admits: ProxyGuards.basic("bob:origin-secret")) { proxy in
            let configured = try proxy.server(.http)
            let manager = Self.manager(
                transport, configured, .password("bob", "origin-secret"),
                .password("bob", "origin-secret", for: configured.origin, sentAhead: true))
            let response = try await manager.get("http://h.example/")
            #expect(response.status == .proxyAuthenticationRequired)
            #expect(proxy.heads.count == 1)
        }
        await transport.shutdown()
    }

    /// Two persons on one transport, each with their own login at the same proxy: no tunnel serves both.
    @Test(arguments: [false, true]) func twoPersons(isConfigured: Bool) async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        try await RawServer.run(tls: authority.serverContext(), script: RawServer.answering()) { server in
            let values = ["alice", "bob"].map { "Basic " + Data("\($0):pw".utf8).base64EncodedString() }
            let admits: TestProxy.Admission = { head in
                ProxyGuards.field("Proxy-Authorization", in: head).map { values.contains($0) } == true
                    ? nil : ProxyGuards.refusal("Basic realm=P")
            }
            try await TestProxy.run(admits: admits) { proxy in
                let managers = try ["alice", "bob"].map { name in
                    isConfigured
                        ? Self.manager(
                            transport, try proxy.server(.http, login: ProxyLogin(username: name, password: "pw")),
                            CommonAuthenticationConfigurator())
                        : Self.manager(
                            transport, try proxy.server(.http),
                            .password(name, "pw", forProxy: try proxy.server(.http).origin))
                }
                for manager in managers + managers {
                    let response = try await manager.get("https://localhost:\(server.port)/")
                    #expect(response.text == "secure")
                }
                let sent = proxy.heads.map { ProxyGuards.field("Proxy-Authorization", in: $0) }
                #expect(sent == [nil, values[0], nil, values[1]])
                #expect(proxy.tunnels == 2 && server.connectionCount == 2)
            }
        }
        await transport.shutdown()
    }

    /// A one-shot body is read only when there is a tunnel for it.
    @Test func aOneShotBodyWaitsForTheTunnel() async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        try await RawServer.run(tls: authority.serverContext()) { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 100 Continue\r\n\r\n")
            let body = try await connection.readBytes(5)
            try await connection.respond(String(decoding: body, as: UTF8.self))
        } _: { server in
            try await TestProxy.run(admits: ProxyGuards.basic("alice:proxy-secret")) { proxy in
                let manager = Self.manager(
                    transport, try proxy.server(.http, login: Self.alice), CommonAuthenticationConfigurator())
                let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
                continuation.yield(Array("bytes".utf8))
                continuation.finish()
                let response = try await manager.data(
                    for: HTTPRequest(.post, "https://localhost:\(server.port)/"), body: .oneShot(length: 5, stream))
                #expect(response.text == "bytes")
            }
        }
        await transport.shutdown()
    }
}
