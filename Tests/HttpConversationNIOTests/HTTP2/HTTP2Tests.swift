import HTTPTypes
import HttpConversation
import HttpConversationConformance
import Synchronization
import Testing

@testable import HttpConversationNIO

@Suite(.timeLimit(.minutes(1))) struct HTTP2Tests {
    @Test(arguments: [["http/1.1"], []]) func aServerOfHTTP1(protocols: [String]) async throws {
        let arrived = Counter()
        try await HTTP2Server.run(protocols: protocols) { connection in
            _ = try await connection.readHead()
            arrived.add()
            await arrived.wait(for: 5)
            try await connection.respond("old")
            try await connection.untilClosed()
        } _: { server, transport, url in
            try await withThrowingTaskGroup(of: ProtocolVersion?.self) { group in
                for _ in 0..<5 { group.addTask { try await transport.send(.get, url).version } }
                for try await version in group { #expect(version == .http11) }
            }
            #expect(server.connectionCount == 5)
        }
    }

    @Test func onlyHTTP1IsOfferedIfItIsTheNewest() async throws {
        try await HTTP2Server.run(protocols: ["h2", "http/1.1"]) {
            $0.newestVersion = .http11
        } script: { connection in
            _ = try await connection.readHead()
            try await connection.respond("old")
        } _: { server, transport, url in
            let response = try await transport.send(.get, url)
            #expect(response.version == .http11)
        }
    }
}
