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
            let path = "/basic/\(UInt64.random(in: 0...UInt64.max))"
            // Holds the answer until the server has seen all requests, because a request after a failed login may ask
            // again.
            let provider = CountingProvider(TestUsers.User(name: "alice", password: "wrong")) {
                try server.received(path).count >= 100
            }
            let manager = try await Library.manager(provider: provider)
            let statuses = try await Self.inParallel(100) { _ in
                try await manager.data(for: HTTPRequest(.get, server.url(path))).status.code
            }
            #expect(statuses == Array(repeating: 401, count: 100))
            #expect(try server.received(path).count { $0.carriesCredentials } == 1)
        }

        @Test("Two hundred conversations at a time through Digest with nonces that live for one second")
        func shortNonces() async throws {
            let server = try await RealServers.shared.server(.apache)
            let provider = CountingProvider(TestUsers.alice)
            let manager = try await Library.manager(provider: provider)
            let mark = UInt64.random(in: 0...UInt64.max)
            let path = "/digest-short-file/\(mark)"
            // Runs bursts until a nonce has expired in the middle of several.
            let start = ContinuousClock.now
            var bursts = 0
            while ContinuousClock.now - start < .seconds(3) {
                let texts = try await Self.inParallel(200) { _ in
                    try await manager.data(for: HTTPRequest(.get, server.url(path))).text
                }
                #expect(texts == Array(repeating: Fixture.hello, count: 200))
                bursts += 1
            }
            #expect(provider.timesAsked == 1)
            let nonces = try server.received(path).compactMap { $0.field("Authorization") }.compactMap(Self.nonce)
            #expect(nonces.count >= bursts * 200)
            #expect(Set(nonces).count > 2)
        }

        @Test("No nonce count is used twice with the same nonce", arguments: ["/digest/", "/digest-domain/"])
        func uniqueCounts(_ folder: String) async throws {
            let server = try await RealServers.shared.server(.apache)
            let manager = try await Library.manager(TestUsers.alice)
            let mark = UInt64.random(in: 0...UInt64.max)
            _ = try await Self.inParallel(100) { index in
                try await manager.data(for: HTTPRequest(.get, server.url("\(folder)\(mark)-\(index)"))).status.code
            }
            let used = try server.received(below: "\(folder)\(mark)-")
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
