import Foundation
import HttpC
import Testing

extension RealServerTests {
    @Suite(.serialized) struct Parallel {
        @Test(
            "A hundred conversations, one question to the provider",
            arguments: [
                (ServerKind.apache, "/basic/"), (.apache, "/digest/"), (.nginx, "/basic/"), (.lighttpd, "/sha256/"),
            ])
        func oneQuestion(_ place: (server: ServerKind, folder: String)) async throws {
            let server = try await RealServers.shared.server(place.server)
            let provider = CountingProvider(TestUsers.alice)
            let manager = try await Library.manager(provider: provider)
            let url = server.url(place.folder + "hello.txt")
            let texts = try await Self.inParallel(100) { _ in
                try await manager.data(for: HTTPRequest(.get, url)).text
            }
            #expect(texts == Array(repeating: Fixture.hello, count: 100))
            #expect(provider.timesAsked == 1)
        }

        @Test("A hundred conversations with a wrong password: one question, one failed login")
        func wrongPassword() async throws {
            let server = try await RealServers.shared.server(.apache)
            let provider = CountingProvider(TestUsers.User(name: "alice", password: "wrong"))
            let manager = try await Library.manager(provider: provider)
            let path = "/basic/\(UInt64.random(in: 0...UInt64.max))"
            let statuses = try await Self.inParallel(100) { _ in
                try await manager.data(for: HTTPRequest(.get, server.url(path))).status.code
            }
            #expect(statuses == Array(repeating: 401, count: 100))
            #expect(try server.received(path).count { $0.carriesCredentials } == 1)
        }

        /// Each request starts an interpreter on the server, so that the burst takes longer than a nonce lives.
        @Test("Two hundred conversations through Digest with nonces that live for one second")
        func shortNonces() async throws {
            let server = try await RealServers.shared.server(.apache)
            let provider = CountingProvider(TestUsers.alice)
            let manager = try await Library.manager(provider: provider)
            let mark = UInt64.random(in: 0...UInt64.max)
            let answers = try await Self.inParallel(200) { index in
                let request = try HTTPRequest(.post, server.url("/digest-short/\(mark)-\(index)"))
                return try await manager.data(for: request, body: .text("body \(index)"))
            }
            for (index, answer) in answers.enumerated() {
                let arrived = try Arrived(answer.text)
                #expect(arrived.user == "alice")
                #expect(arrived.length == "body \(index)".utf8.count)
            }
            #expect(provider.timesAsked == 1)
            // The nonce did expire on the way: more than one was used.
            let nonces = try (0..<200).flatMap { try server.received("/digest-short/\(mark)-\($0)") }
                .compactMap { $0.field("Authorization") }.compactMap(Self.nonce)
            #expect(Set(nonces).count > 1)
        }

        @Test("No nonce count is used twice with the same nonce", arguments: ["/digest/", "/digest-domain/"])
        func uniqueCounts(_ folder: String) async throws {
            let server = try await RealServers.shared.server(.apache)
            let manager = try await Library.manager(TestUsers.alice)
            let mark = UInt64.random(in: 0...UInt64.max)
            _ = try await Self.inParallel(100) { index in
                try await manager.data(for: HTTPRequest(.get, server.url("\(folder)\(mark)-\(index)"))).status.code
            }
            let used = try (0..<100).flatMap { try server.received("\(folder)\(mark)-\($0)") }
                .compactMap { $0.field("Authorization") }
                .map { "\(Self.nonce($0) ?? "?") \(Self.parameter("nc", of: $0) ?? "?")" }
            #expect(used.count >= 100)
            #expect(Set(used).count == used.count)
        }

        private static func nonce(_ field: String) -> String? { parameter("nonce", of: field) }

        private static func parameter(_ name: String, of field: String) -> String? {
            guard let start = field.range(of: " \(name)=") else { return nil }
            return String(field[start.upperBound...].prefix { $0 != "," }).replacingOccurrences(of: "\"", with: "")
        }

        static func inParallel<Value: Sendable>(
            _ count: Int, _ work: @escaping @Sendable (Int) async throws -> Value
        ) async throws -> [Value] {
            try await withThrowingTaskGroup(of: (Int, Value).self) { group in
                for index in 0..<count { group.addTask { (index, try await work(index)) } }
                var values: [Int: Value] = [:]
                for try await (index, value) in group { values[index] = value }
                return values.sorted { $0.key < $1.key }.map(\.value)
            }
        }
    }
}
