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

    /// The server allows one stream, which never ends: others get another connection.
    @Test func aStreamThatNeverEnds() async throws {
        try await HTTP2Server.run {
            $0.slowAttemptTime = .milliseconds(200)
        } script: { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, 1)])
            if connection.index == 0 {
                let stream = try await peer.readRequest()
                try await peer.write(HTTP2Peer.head(stream, [(":status", "200")]))
            }
            try await peer.serve()
        } _: { server, transport, url in
            let endless = try await transport.send(.get, url)
            try await withThrowingTaskGroup { group in
                for _ in 0..<5 { group.addTask { try await transport.text(.get, url) } }
                for try await text in group { #expect(text == "ok") }
            }
            #expect(server.connectionCount >= 2)
            withExtendedLifetime(endless) {}
        }
    }

    /// A single connection is allowed, and all its streams are in use. The error says so.
    @Test func thereIsNoPlaceForAnotherStream() async throws {
        try await HTTP2Server.run {
            $0.maximumConnectionsPerOrigin = 1
        } script: { connection in
            let peer = try await HTTP2Peer.accept(connection, settings: [(3, 2)])
            for _ in 0..<2 { try await peer.write(HTTP2Peer.head(peer.readRequest(), [(":status", "200")])) }
            try await connection.untilClosed()
        } _: { server, transport, url in
            let endless = (try await transport.send(.get, url), try await transport.send(.get, url))
            let error = await transport.failure(.get, url) { $0.connectTimeout = .milliseconds(300) }
            #expect(error?.code == .timedOut)
            let words = ["connections: 1, exchanges on them: 2", "maximumConnectionsPerOrigin"]
            #expect(words.allSatisfy { error?.message.contains($0) == true }, "\(error?.message ?? "")")
            #expect(server.connectionCount == 1)
            withExtendedLifetime(endless) {}
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
