import Foundation
import HttpC
import TestSupport
import Testing

extension RealServerTests {
    @Suite(.serialized) struct HTTP2 {
        static let servers = [ServerKind.apache, .nginx]

        @Test("The version is the server's choice, or the requested one", arguments: servers)
        func versions(_ kind: ServerKind) async throws {
            let server = try await RealServers.shared.server(kind)
            let url = server.url("/open/version", .multiplexed)
            let manager = try await Library.manager()
            let response = try await manager.data(for: HTTPRequest(.get, url))
            #expect(response.text == Fixture.hello)
            #expect(response.version == .http2)
            let authority = try await RealServers.shared.authority().path
            for (option, version) in [("--http2", "2"), ("--http1.1", "1.1")] {
                let outcome = try await Program.httpc(
                    ["-sS", option, "-w", "%{http_version}", "--cacert", authority, url])
                #expect(outcome.status == 0)
                #expect(outcome.text == Fixture.hello + version)
            }
        }

        /// nginx ends a connection after a thousand requests, with GOAWAY.
        @Test("Three thousand conversations: none is lost, none arrives twice", arguments: servers)
        func manyConversations(_ kind: ServerKind) async throws {
            let server = try await RealServers.shared.server(kind)
            let manager = try await Library.manager()
            let path = "/open/\(UInt64.random(in: 0...UInt64.max))"
            let url = server.url(path, .multiplexed)
            let texts = try await Parallel.inParallel(50) { _ in
                var texts: [String] = []
                for _ in 0..<60 { texts.append(try await manager.data(for: HTTPRequest(.get, url)).text) }
                return texts
            }
            #expect(texts.flatMap(\.self) == Array(repeating: Fixture.hello, count: 3000))
            #expect(try await server.received(path, atLeast: 3000).count == 3000)
        }

        @Test("A thousand at once wait for the server's streams", arguments: servers)
        func aThousandAtOnce(_ kind: ServerKind) async throws {
            let server = try await RealServers.shared.server(kind)
            let manager = try await Library.manager()
            let path = "/open/\(UInt64.random(in: 0...UInt64.max))"
            let url = server.url(path, .multiplexed)
            let texts = try await Parallel.inParallel(1000) { _ in
                try await manager.data(for: HTTPRequest(.post, url)).text
            }
            #expect(texts.count == 1000)
            #expect(try await server.received(path, atLeast: 1000).count == 1000)
        }

        @Test("Uploads and downloads of some length, with a password", arguments: [Client.library, .httpc])
        func bodies(_ client: Client) async throws {
            let apache = try await RealServers.shared.server(.apache)
            let file = TemporaryPlace.unused("body.bin")
            try Data(count: 3_000_000).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let arrived = try await client.send(
                apache.url("/basic-sink/h2", .multiplexed), method: "PUT", file: file, as: TestUsers.alice)
            #expect(try Arrived(arrived.text).length == 3_000_000)
            let text = try await client.get(apache.url("/compressed/h2", .multiplexed)).text
            #expect(text == Fixture.long)
        }

        /// Security rule S2: one connection, two users.
        @Test("Two sessions on one transport: each gets its own answers")
        func twoSessions() async throws {
            let apache = try await RealServers.shared.server(.apache)
            let url = apache.url("/basic-sink/two", .multiplexed)
            let transport = try await Library.transport()
            let users = [TestUsers.alice, TestUsers.juergen]
            let managers = users.map { user in
                var configurator = CommonAuthenticationConfigurator()
                configurator.add(CountingProvider(user))
                return HttpConversationManager(transport: transport, configurator)
            }
            let names = try await Parallel.inParallel(100) { index in
                try Arrived(try await managers[index % 2].data(for: HTTPRequest(.get, url)).text).user
            }
            #expect(names == (0..<100).map { users[$0 % 2].name })
        }
    }
}
