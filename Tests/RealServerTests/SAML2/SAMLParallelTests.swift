import Foundation
import HttpC
import Testing

extension RealServerTests.SAML2 {
    @Suite(.serialized) struct Crowds {
        private static let count = 200

        @Test("Two hundred conversations, one login", arguments: [SAMLSite.Kind.redirect, .post])
        func oneLogin(_ kind: SAMLSite.Kind) async throws {
            let bench = try await SAMLBench(kind)
            let texts = try await RealServerTests.Parallel.inParallel(Self.count) { _ in
                try await bench.get().text
            }
            #expect(texts == Array(repeating: Fixture.hello, count: Self.count))
            #expect(try bench.logins == 1)
            #expect(try bench.passwordsSent == 1)
        }

        @Test("Two hundred conversations with a wrong password: one failed login, and all get the page's message")
        func wrongPassword() async throws {
            let path = "page?\(UInt64.random(in: 0...UInt64.max))"
            let wrong = TestUsers.User(name: "alice", password: "wrong")
            // Holds the login until the server has challenged all requests, because a request after a failed login may
            // ask again. A request that is sent after the login began would wait for it.
            let bench = try await SAMLBench(.redirect, as: wrong, crowd: Self.count) { site in
                try site.server.received("/redirect/\(path)").count >= Self.count
            }
            let errors = try await RealServerTests.Parallel.inParallel(Self.count) { _ in
                do {
                    _ = try await bench.get(path)
                    return WebLoginError?.none
                } catch { return (error as? ConversationError)?.underlyingError as? WebLoginError }
            }
            #expect(Set(errors.map { $0?.code }) == [.answersRefused])
            #expect(Set(errors.map { $0?.pageText?.contains("Incorrect username or password") }) == [true])
            #expect(try bench.passwordsSent == 1)
            #expect(try bench.logins == 0)
        }
    }
}
