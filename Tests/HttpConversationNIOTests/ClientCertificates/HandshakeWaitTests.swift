import HTTPTypes
import HttpConvAuthFlows
import HttpConvCertificates
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import Testing

/// Waits of a server for our client certificate.
@Suite(.serialized, .timeLimit(.minutes(1))) struct HandshakeWaitTests {
    private struct Sorrow: Error {}

    @Test(arguments: MutualServer.Version.allCases)
    func aQuestionDoesNotCountForNetworkLimits(version: MutualServer.Version) async throws {
        let authority = try TestAuthority()
        let alice = try authority.identity("alice")
        try await MutualServer(authority: authority, version: version).run { server async throws in
            let provider = CountingIdentities { _ in
                // Not a synchronisation: the test needs an answer that takes long.
                try await Task.sleep(for: .seconds(6))
                return .identity(alice)
            }
            let manager = NIOTransport.trusting(authority).manager(provider) { configuration in
                configuration.connectTimeout = .seconds(4)
                configuration.networkTimeout = .seconds(5)
            }
            #expect(try await manager.text("https://localhost:\(server.port)/") == "CN=alice")
            #expect(server.connectionCount == 1)
        }
    }

    @Test func aQuestionHasItsOwnLimit() async throws {
        let authority = try TestAuthority()
        try await MutualServer(authority: authority, version: .tls13).run { server async throws in
            let ended = Counter()
            let manager = NIOTransport.trusting(authority).manager(Self.neverAnswering(ended)) {
                $0.clientCertificateTimeout = .milliseconds(200)
            }
            let error = await manager.failure("https://localhost:\(server.port)/")
            #expect(error?.code == .timedOut, "\(String(describing: error))")
            #expect(error?.message.contains("client certificate") == true)
            await ended.wait(for: 1)
            await server.wait { $0.closedCount == 1 }
        }
    }

    @Test(arguments: MutualServer.Version.allCases) func aQuestionEndsWithItsConversation(version: MutualServer.Version)
        async throws
    {
        let authority = try TestAuthority()
        try await MutualServer(authority: authority, version: version).run { server async throws in
            let ended = Counter()
            let provider = Self.neverAnswering(ended)
            let manager = NIOTransport.trusting(authority).manager(provider)
            let conversation = try manager.start(HTTPRequest(.get, "https://localhost:\(server.port)/"))
            await provider.asked.wait(for: 1)
            conversation.cancel()
            do throws(ConversationError) {
                _ = try await conversation.value
                Issue.record("it was cancelled")
            } catch {
                #expect(error.code == .cancelled)
            }
            await ended.wait(for: 1)
            await server.wait { $0.closedCount == 1 }
        }
    }

    /// The first exchange leaves, and the others get the answer.
    @Test func aQuestionContinuesForOtherConversations() async throws {
        let authority = try TestAuthority()
        let alice = try authority.identity("alice")
        try await MutualServer(authority: authority, version: .tls13).run { server async throws in
            let gate = Gate()
            let provider = CountingIdentities { _ in
                await gate.wait()
                return .identity(alice)
            }
            let manager = NIOTransport.trusting(authority, newestVersion: .http11).manager(provider)
            let request = try HTTPRequest(.get, "https://localhost:\(server.port)/")
            let first = try manager.start(request)
            await provider.asked.wait(for: 1)
            let second = try manager.start(request)
            await server.wait { $0.connectionCount == 2 }
            first.cancel()
            gate.open()
            #expect(try await second.value.text == "CN=alice")
            #expect(provider.asked.value == 1)
        }
    }

    @Test func aProviderThatFails() async throws {
        let authority = try TestAuthority()
        try await MutualServer(authority: authority, version: .tls13).run { server async throws in
            let manager = NIOTransport.trusting(authority).manager(CountingIdentities { _ in throw Sorrow() })
            let error = await manager.failure("https://localhost:\(server.port)/")
            #expect(error?.code == .clientCertificateUnusable, "\(String(describing: error))")
            #expect(error?.underlyingError is Sorrow)
            let cancelling = NIOTransport.trusting(authority).manager(CountingIdentities { _ in .cancel })
            #expect(await cancelling.failure("https://localhost:\(server.port)/")?.code == .cancelled)
        }
    }

    private static func neverAnswering(_ ended: Counter) -> CountingIdentities {
        CountingIdentities { _ in
            defer { ended.add() }
            try await Task.sleep(for: .seconds(600))
            return .none
        }
    }
}
