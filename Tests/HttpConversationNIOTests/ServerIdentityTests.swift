import HTTPTypes
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
