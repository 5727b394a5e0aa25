import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import Testing

/// An application's own challenge filter, with public API only.
@Suite("A challenge filter of one's own", .timeLimit(.minutes(1)))
struct OwnFilterTests {
    /// Has one login, and tries it once.
    private struct KnownLogin: ChallengeFilter {
        let handles: Set<AuthenticationMethod> = [.basic, .digest, .bearer]
        let login: UsernamePassword

        func answer(
            _ challenge: AuthenticationChallenge, in context: ConversationContext
        ) async throws -> ChallengeAnswer {
            guard challenge.refused.isEmpty, let credential = try login.credential(for: challenge) else {
                return .notHandled
            }
            return .use(credential, .session)
        }
    }

    private func manager(_ transport: ScriptedTransport, _ password: String) -> HttpConversationManager {
        let manager = HttpConversationManager(transport: transport)
        manager.update { configuration in
            configuration.challengeFilters.add(
                KnownLogin(login: UsernamePassword(username: "alice", password: password)))
        }
        return manager
    }

    @Test func answersBasic() async throws {
        let server = BasicServer(.init(name: "staff", path: "/staff/", octets: Array("alice:wonder".utf8)))
        let transport = server.transport()
        let manager = manager(transport, "wonder")
        for path in ["x", "y"] { #expect(try await manager.get("http://127.0.0.1/staff/\(path)").status == .ok) }
        #expect(transport.requests.count == 3, "kept, and sent ahead")
    }

    @Test func answersDigest() async throws {
        let server = DigestServer("alice", "wonder")
        let manager = manager(server.transport(), "wonder")
        for _ in 1...2 { #expect(try await manager.get("http://127.0.0.1/").status == .ok) }
        #expect(server.account.accepted == 2)
        #expect(server.account.replays == 0)
    }

    @Test(arguments: ["Bearer realm=\"r\"", "Digest realm=\"r\", nonce=\"n\", algorithm=SHA-1"])
    func whatItCannotAnswerGoesToTheCaller(challenge: String) async throws {
        let transport = ScriptedTransport { _, _ in .init(.unauthorized, [.wwwAuthenticate: challenge]) }
        #expect(try await manager(transport, "wonder").get("http://127.0.0.1/").status == .unauthorized)
        #expect(transport.requests.count == 1)
    }

    @Test func aRefusedLoginIsNotTriedAgain() async throws {
        let server = BasicServer(.init(name: "staff", path: "/staff/", octets: Array("alice:wonder".utf8)))
        #expect(try await manager(server.transport(), "no").get("http://127.0.0.1/staff/x").status == .unauthorized)
        #expect(server.failedLogins.count == 1)
    }
}
