import HTTPTypes
import HttpConversation
import HttpConversationConformance
import Testing
import X509

@testable import HttpConversationNIO

@Suite(.timeLimit(.minutes(1))) struct ServerIdentityTests {
    struct Sample: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let names: [GeneralName]
    }

    static let foreign = [
        Sample(
            testDescription: "the address that the name leads to",
            names: [.ipAddress(.init(contentBytes: [127, 0, 0, 1])), .ipAddress(.init(contentBytes: loopback6))]),
        Sample(testDescription: "the subject's common name", names: []),
        Sample(testDescription: "an asterisk", names: [.dnsName("*")]),
        Sample(testDescription: "an asterisk in a label", names: [.dnsName("local*")]),
        Sample(testDescription: "a URI", names: [.uniformResourceIdentifier("https://localhost/")]),
    ]
    private static let loopback6 = ArraySlice([UInt8](repeating: 0, count: 15) + [1])

    @Test(arguments: foreign) func certificateThatDoesNotNameTheHost(sample: Sample) async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        let context = try authority.serverContext(for: sample.names, commonName: "localhost")
        try await RawServer.run(tls: context) { connection in
            _ = try await connection.readHead()
            try await connection.respond("not reached")
        } _: { server in
            let error = await transport.failure(.get, "https://localhost:\(server.port)/")
            #expect(error?.code == .certificateNotTrusted, "\(String(describing: error))")
            #expect(server.connectionCount > 0)
        }
    }

    /// The ways to a server, each with its own handler for TLS.
    enum Way: CaseIterable, Sendable {
        case plain, filtered, throughProxy, filteredThroughProxy

        var isFiltered: Bool { self == .filtered || self == .filteredThroughProxy }
        var isThroughProxy: Bool { self == .throughProxy || self == .filteredThroughProxy }
    }

    /// NIOSSL's own check refuses the first two, which are right.
    @Test(
        arguments: [
            ("xn--bcher-kva.example.test", "*.example.test", true), ("my_host.test", "my_host.test", true),
            ("xn--bcher-kva.example.test", "*.other.test", false), ("my_host.test", "other_host.test", false),
        ], Way.allCases)
    func nameOfEveryKind(_ sample: (host: String, name: String, isRight: Bool), way: Way) async throws {
        let authority = try TestAuthority()
        let heads = Log()
        let context = try authority.serverContext(for: [.dnsName(sample.name)])
        try await RawServer.run(tls: context, script: RawServer.answering(heads: heads)) { server in
            try await TestProxy.run { proxy in
                let transport = try NIOTransport.making {
                    $0.tls.trustRoots = .pem(authority.pem)
                    try $0.addresses.set(["127.0.0.1"], forHost: sample.host, port: server.port)
                }
                let route = way.isThroughProxy ? try proxy.route(.http) : nil
                // A policy that does not throw would accept the key of a refused server.
                let policy = ServerTrustPolicy { trust, _ in
                    if !trust.problems.isEmpty { throw ConversationError(.certificateNotTrusted, "refused") }
                }
                let error = await transport.failure(.get, "https://\(sample.host):\(server.port)/") {
                    $0.proxy = route
                    $0.serverTrust = way.isFiltered ? policy : nil
                }
                #expect(error?.code == (sample.isRight ? nil : .certificateNotTrusted), "\(error as Any)")
                #expect(heads.values.count == (sample.isRight ? 1 : 0))
                #expect((proxy.tunnels > 0) == way.isThroughProxy)
                await transport.shutdown()
            }
        }
    }

    /// A proxy that is reached over TLS is checked in the same way, by its name or its address.
    @Test(arguments: [
        ("my_proxy.test", GeneralName.dnsName("my_proxy.test"), true),
        ("my_proxy.test", .dnsName("other.test"), false),
        ("127.0.0.1", .ipAddress(.init(contentBytes: [127, 0, 0, 1])), true),
        ("127.0.0.1", .ipAddress(.init(contentBytes: [127, 0, 0, 2])), false),
        ("127.0.0.1", .dnsName("127.0.0.1"), false),
    ])
    func proxyOverTLS(_ sample: (host: String, name: GeneralName, isRight: Bool)) async throws {
        let authority = try TestAuthority()
        try await RawServer.run(script: RawServer.answering()) { server in
            try await TestProxy.run(tls: authority.serverContext(for: [sample.name])) { proxy in
                let transport = try NIOTransport.making {
                    $0.tls.trustRoots = .pem(authority.pem)
                    if sample.host != "127.0.0.1" {
                        try $0.addresses.set(["127.0.0.1"], forHost: sample.host, port: proxy.server.port)
                    }
                }
                let route = try proxy.route(.https, host: sample.host)
                let error = await transport.failure(.get, "http://127.0.0.1:\(server.port)/") { $0.proxy = route }
                #expect((error == nil) == sample.isRight, "\(error as Any)")
                #expect(proxy.heads.count == (sample.isRight ? 1 : 0))
                await transport.shutdown()
            }
        }
    }

    @Test(arguments: [
        ("example.com", "example.com", true), ("example.com", "EXAMPLE.com.", true),
        ("a.example.com", "*.example.com", true),
        ("example.com", "*.example.com", false), ("a.b.example.com", "*.example.com", false), ("a.com", "*.com", false),
        ("localhost", "*", false), ("a.example.com", "a*.example.com", false), ("a.example.com", "a.*.com", false),
        ("a.example.com", "*example.com", false), ("example.com", "", false), ("example.com", "*.", false),
        ("example.com", "example.com\0", false), ("xn--a.example.com", "*.example.com", true),
    ]) func pattern(host: String, pattern: String, expected: Bool) {
        #expect(ServerIdentity.matches(host, pattern: Array(pattern.utf8)) == expected)
    }
}
