import Foundation
import HttpC
import TestSupport
import Testing

extension RealServerTests {
    /// Refresh tokens that are replaced at each use. Reusing one ends its whole family.
    @Suite(.serialized) struct OAuth2Refresh {
        private static func bench(_ person: Person = Person(TestUsers.alice)) async throws -> OAuthBench {
            try await OAuthBench(
                "native", scopes: ["openid", "read"],
                grant: .authorizationCode(redirectURI: "com.example.app:/callback"),
                web: person)
        }

        private static func grants(_ bench: OAuthBench, since count: Int) throws -> [String] {
            try bench.tokenRequests().dropFirst(count).compactMap { $0.field("Grant-Type") }
        }

        @Test("Expired tokens are refreshed; the new refresh token takes the old one's place")
        func rotation() async throws {
            let bench = try await Self.bench()
            _ = try await bench.get()
            let before = try bench.tokenRequests().count
            var known: Set<Redacted<String>> = []
            for _ in 0..<5 {
                let old = try await bench.stored()
                let oldRefresh = try #require(old.refreshToken)
                known.insert(oldRefresh)
                try await bench.expireAccessTokens()
                #expect(try await bench.get().owner == "alice")
                let new = try await bench.stored()
                #expect(new.accessToken != old.accessToken)
                let newRefresh = try #require(new.refreshToken)
                #expect(!known.contains(newRefresh))
                #expect(try await bench.serverTakes(newRefresh))
                #expect(try await !bench.serverTakes(oldRefresh))
            }
            #expect(try Self.grants(bench, since: before) == Array(repeating: "refresh_token", count: 5))
        }

        @Test("A hundred conversations with an expired token: one refresh, no reuse")
        func oneRefresh() async throws {
            let bench = try await Self.bench()
            _ = try await bench.get()
            let before = try bench.tokenRequests().count
            try await bench.expireAccessTokens()
            let owners = try await Parallel.inParallel(100) { _ in try await bench.get().owner }
            #expect(owners == Array(repeating: "alice", count: 100))
            #expect(try Self.grants(bench, since: before) == ["refresh_token"])
            let refreshToken = try #require(try await bench.stored().refreshToken)
            #expect(try await bench.serverTakes(refreshToken))
        }

        @Test("After a thief used the refresh token, the person logs in again and nothing loops")
        func stolen() async throws {
            let bench = try await Self.bench()
            _ = try await bench.get()
            let stolen = try #require(try await bench.stored().refreshToken)
            // The attacker uses curl.
            let thief = try await Program.run(
                "/usr/bin/curl",
                [
                    "-sf", "--noproxy", "*", "-d",
                    "grant_type=refresh_token&client_id=native&refresh_token=\(stolen.value)",
                    bench.server.url("/o/token/"),
                ])
            #expect(thief.status == 0)
            let before = try bench.tokenRequests().count
            try await bench.expireAccessTokens()
            #expect(try await bench.get().owner == "alice")
            #expect(try Self.grants(bench, since: before) == ["refresh_token", "authorization_code"])
            #expect(try await bench.stored().refreshToken != stolen)
        }

        @Test("Logging out ends both tokens at the server, and the next request is a login", arguments: [true, false])
        func logOut(_ withOpenID: Bool) async throws {
            let bench = try await OAuthBench(
                "native", scopes: withOpenID ? ["openid", "read"] : ["read"],
                grant: .authorizationCode(redirectURI: "com.example.app:/callback"), web: Person(TestUsers.alice))
            _ = try await bench.get()
            let tokens = try await bench.stored()
            let refreshToken = try #require(tokens.refreshToken)
            #expect(try await bench.serverTakes(tokens.accessToken))
            let url = try #require(URL(string: bench.server.url("/api/")))
            try await bench.tokens.logOut(from: url, using: bench.manager)
            #expect(try await bench.tokens.tokens(for: url) == nil)
            #expect(try await !bench.serverTakes(tokens.accessToken))
            #expect(try await !bench.serverTakes(refreshToken))
            let before = try bench.tokenRequests().count
            #expect(try await bench.get().owner == "alice")
            #expect(try Self.grants(bench, since: before) == ["authorization_code"])
        }
    }
}
