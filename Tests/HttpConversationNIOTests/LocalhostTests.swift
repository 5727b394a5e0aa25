import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import Testing

/// `localhost` means this machine, with both of its addresses, whatever a resolver says (security rule S1).
@Suite(.timeLimit(.minutes(1))) struct LocalhostTests {
    @Test(arguments: ["127.0.0.1", "::1"], ["localhost", "LOCALHOST", "localhost."])
    func oneFamilyIsEnough(address: String, name: String) async throws {
        try await RawServer.run(host: address) { connection in
            let host = try await connection.readHead().split(separator: "\r\n").first { $0.hasPrefix("Host:") }
            try await connection.respond(String(host ?? ""))
        } _: { server in
            let transport = NIOTransport.make()
            let text = try await transport.text(.get, "http://\(name):\(server.port)/")
            #expect(text == "Host: localhost:\(server.port)")
            #expect(server.connectionCount == 1)
            await transport.shutdown()
        }
    }
}
