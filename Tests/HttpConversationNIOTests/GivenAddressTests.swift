import HTTPTypes
import HttpConversation
import HttpConversationConformance
import HttpConversationTesting
import Testing

@testable import HttpConversationNIO

/// Addresses and sockets that are set by hand.
@Suite(.timeLimit(.minutes(1))) struct GivenAddressTests {
    private func serving(
        _ transport: @Sendable (_ port: Int) throws -> NIOTransport,
        _ body: @Sendable (NIOTransport, RawServer) async throws -> Void
    ) async throws {
        try await RawServer.run { connection in
            while true {
                let head = try await connection.readHead()
                let host = head.split(separator: "\r\n").first { $0.hasPrefix("Host: ") } ?? ""
                try await connection.respond(String(host))
            }
        } _: { server in
            try await body(try transport(server.port), server)
        }
    }

    @Test func aGivenAddressAppliesToItsPortOnly() async throws {
        try await serving { port in
            try .making { try $0.addresses.set(["::1", "127.0.0.1"], forHost: "App.invalid.", port: port) }
        } _: { transport, server in
            let manager = HttpConversationManager(transport: transport)
            let answer = try await manager.get("http://app.invalid:\(server.port)/")
            #expect(answer.text == "Host: app.invalid:\(server.port)")
            #expect(await failureCode { try await manager.get("http://app.invalid:1/") } == .hostNotResolved)
            #expect(server.connectionCount == 1)
        }
    }

    /// Through a proxy, the address set for the proxy counts; the proxy resolves the server's.
    @Test func forAProxyItsOwnAddressCounts() async throws {
        try await serving { port in
            try .making {
                try $0.addresses.set(["127.0.0.1"], forHost: "proxy.invalid", port: port)
                try $0.addresses.set(["127.0.0.99"], forHost: "app.invalid", port: 80)
            }
        } _: { transport, server in
            var configuration = HttpConversationManager.Configuration()
            configuration.proxies = .always(try ProxyServer("http://proxy.invalid:\(server.port)"))
            let manager = HttpConversationManager(transport: transport, configuration: configuration)
            #expect(try await manager.get("http://app.invalid/").text == "Host: app.invalid")
        }
    }

    @Test func onlyTheAllowedFamilyIsTried() async throws {
        try await serving { port in
            try .making {
                try $0.addresses.set(["127.0.0.1"], forHost: "app.invalid", port: port)
                $0.addressFamily = .ipv6
            }
        } _: { transport, server in
            let error = await #expect(throws: ConversationError.self) {
                try await HttpConversationManager(transport: transport).get("http://app.invalid:\(server.port)/")
            }
            #expect(error?.code == .connectionFailed)
            #expect(server.connectionCount == 0)
        }
    }

    @Test(
        arguments: [
            ("app.invalid", []), ("app.invalid", ["app.example"]), ("app.invalid", ["127.1"]), ("app.invalid", [""]),
            ("app.invalid", ["127.0.0.1", "x"]), ("127.0.0.1", ["127.0.0.2"]), ("::1", ["127.0.0.2"]),
            // It may get passwords without TLS, so it has to be this machine (security rule S11).
            ("localhost", ["192.0.2.1"]), ("LOCALHOST.", ["127.0.0.1", "2001:db8::1"]),
            ("app.localhost", ["192.0.2.1"]),
        ] as [(String, [String])])
    func refused(host: String, addresses: [String]) {
        var table = NIOTransport.Addresses()
        #expect { try table.set(addresses, forHost: host, port: 80) } throws: {
            ($0 as? ConversationError)?.code == .invalidConfiguration
        }
    }

    /// A proxy and a socket exclude each other (security rule S25).
    @Test func aProxyAndASocketExcludeEachOther() async throws {
        let transport = try NIOTransport.making {
            try $0.addresses.set(unixSocket: "/nowhere", for: "http://app.invalid")
        }
        let proxies = ProxySettings.always(try ProxyServer("http://127.0.0.1:1"))
        let manager = testManager(transport) { $0.proxies = proxies }
        #expect(await failureCode { try await manager.get("http://app.invalid/") } == .invalidConfiguration)
    }

    @Test func socketPathsThatTheSystemAccepts() throws {
        var table = NIOTransport.Addresses()
        try table.set(unixSocket: String(repeating: "x", count: 100), for: "http://app.invalid")
        for (path, code) in [
            (String(repeating: "x", count: 108), ConversationError.Code.connectionFailed), ("", .invalidConfiguration),
            ("a\0b", .invalidConfiguration),
        ] {
            #expect { try table.set(unixSocket: path, for: "http://app.invalid") } throws: {
                ($0 as? ConversationError)?.code == code
            }
        }
    }

    /// Connections to different addresses are separate (security rule S3).
    @Test func connectionsAreSharedByAddress() throws {
        let origin = try Origin(scheme: .http, host: "app.invalid")
        let keys: [PoolKey] = [
            PoolKey(origin: origin), PoolKey(origin: origin, address: .unixSocket(path: "/a")),
            PoolKey(origin: origin, address: .unixSocket(path: "/b")),
            PoolKey(origin: origin, address: .internet([try .init(ipAddress: "127.0.0.1", port: 80)])),
        ]
        #expect(Set(keys).count == keys.count)
    }

    /// A proxy would follow either the URL or the `Host` field.
    @Test func aReadingProxyGetsNoOtherHost() async throws {
        try await serving { _ in
            .make()
        } _: { transport, server in
            var configuration = HttpConversationManager.Configuration()
            configuration.proxies = .always(try ProxyServer(server.url))
            configuration.hostFields[try Origin(scheme: .http, host: "app.invalid")] = try HostField("x")
            let manager = HttpConversationManager(transport: transport, configuration: configuration)
            #expect(await failureCode { try await manager.get("http://app.invalid/") } == .invalidConfiguration)
            #expect(server.connectionCount == 0)
        }
    }
}
