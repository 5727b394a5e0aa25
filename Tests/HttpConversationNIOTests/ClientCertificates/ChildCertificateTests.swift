import HTTPTypes
import HttpConvAuthFlows
import HttpConvCertificates
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import Synchronization
import Testing

/// Client certificates for child conversations.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ChildCertificateTests {
    /// A provider with a choice of servers, possibly interactive.
    private struct Provider: ClientCertProvider {
        let asked = Counter()
        var isInteractive = false
        var isMeant: @Sendable (CredentialDestination) -> Bool = { $0.isCallersOwn }
        let answer: @Sendable (AuthenticationChallenge) async throws -> ProvidedIdentity

        func serves(_ destination: CredentialDestination) -> Bool { isMeant(destination) }
        func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
            asked.add()
            return try await answer(challenge)
        }
    }

    /// Requests another URL in a child conversation, and keeps the responses.
    private final class Aside: ResponseFilter {
        private let url: String
        private let configure: @Sendable (inout HttpConversationManager.Configuration) -> Void
        private let kept = Mutex<[ConversationResponse]>([])
        var answers: [String] { kept.withLock { $0.map(\.text) } }
        var statuses: [Int] { kept.withLock { $0.map(\.status.code) } }

        init(
            _ url: String,
            configure: @escaping @Sendable (inout HttpConversationManager.Configuration) -> Void = { _ in }
        ) {
            self.url = url
            self.configure = configure
        }

        func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
            let answer = try await context.start(HTTPRequest(.get, url), configure: configure)
            kept.withLock { $0.append(answer) }
            return .proceed
        }
    }

    private func manager(
        _ authority: TestAuthority, _ provider: Provider,
        change: (inout HttpConversationManager.Configuration) -> Void = { _ in }
    ) -> HttpConversationManager {
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(clientCertificate: provider)
        var configuration = HttpConversationManager.Configuration()
        configuration.apply(configurator)
        change(&configuration)
        return HttpConversationManager(transport: NIOTransport.trusting(authority), configuration: configuration)
    }

    private func servers(
        _ authority: TestAuthority, isOptional: Bool = true,
        _ body: @escaping @Sendable (_ own: RawServer, _ other: RawServer) async throws -> Void
    ) async throws {
        let mutual = MutualServer(authority: authority, version: .tls13, isOptional: isOptional)
        try await mutual.run { own async throws in
            try await mutual.run { other async throws in try await body(own, other) }
        }
    }

    @Test(arguments: [true, false], [true, false])
    func childrenShowTheCertificateOnlyWhereItIsMeant(isMeant: Bool, isOptional: Bool) async throws {
        let authority = try TestAuthority()
        let alice = try authority.identity("alice")
        try await servers(authority, isOptional: isOptional) { own, other async throws in
            let provider = Provider(isMeant: { isMeant || $0.isCallersOwn }) { _ in .identity(alice) }
            let aside = Aside("https://localhost:\(other.port)/")
            let manager = manager(authority, provider) { $0.responseFilters.add(aside) }
            let url = "https://localhost:\(own.port)/"
            guard isMeant || isOptional else {
                #expect(await manager.failure(url)?.code == .clientCertificateRequired)
                return
            }
            for _ in 0..<2 { #expect(try await manager.text(url) == "CN=alice") }
            #expect(aside.answers == Array(repeating: isMeant ? "CN=alice" : "nobody", count: 2))
            // Once for each server that it is for, in whichever conversation.
            #expect(provider.asked.value == (isMeant ? 2 : 1))
            #expect(other.connectionCount == 1)
        }
    }

    /// A child with another person's session shows that person's certificate, or none.
    @Test(arguments: [true, false]) func aChildOfAnotherSessionShowsThatPersonsCertificate(hasCertificate: Bool)
        async throws
    {
        let authority = try TestAuthority()
        let (alice, bob) = (try authority.identity("alice"), try authority.identity("bob"))
        try await servers(authority) { own, other async throws in
            let provider = Provider(isMeant: { _ in true }) { _ in .identity(alice) }
            var person = CommonAuthenticationConfigurator(session: HttpSession())
            if hasCertificate {
                person.add(clientCertificate: Provider(isMeant: { _ in true }) { _ in .identity(bob) })
            }
            let aside = Aside("https://localhost:\(other.port)/") { [person] in $0.apply(person) }
            let manager = manager(authority, provider) { $0.responseFilters.add(aside) }
            for _ in 0..<2 { #expect(try await manager.text("https://localhost:\(own.port)/") == "CN=alice") }
            #expect(Set(aside.answers) == [hasCertificate ? "CN=bob" : "nobody"])
            #expect(provider.asked.value == 1)
        }
    }

    /// An answer for the caller's own server is not used after a redirect to it, nor the reverse.
    @Test func aRedirectTargetIsAnotherServer() async throws {
        let authority = try TestAuthority()
        let alice = try authority.identity("alice")
        try await MutualServer(authority: authority, version: .tls13, isOptional: true).run { other async throws in
            let there = "https://localhost:\(other.port)/"
            try await RawServer.run(tls: authority.serverContext()) { connection in
                while true {
                    _ = try await connection.readHead()
                    try await connection.write("HTTP/1.1 302 Found\r\nLocation: \(there)\r\nContent-Length: 0\r\n\r\n")
                }
            } _: { server async throws in
                let provider = Provider { _ in .identity(alice) }
                let manager = manager(authority, provider)
                let leading = "https://127.0.0.1:\(server.port)/"
                #expect(try await manager.text(leading) == "nobody")
                #expect(try await manager.text(there) == "CN=alice")
                #expect(try await manager.text(leading) == "nobody")
                #expect(provider.asked.value == 1)
                #expect(other.connectionCount == 2)
            }
        }
    }

    /// A login has the screen and loads a page whose server asks for a certificate. The provider needs the screen too.
    /// Its question may already be queued for another conversation.
    @Test(arguments: [true, false], [true, false])
    func aQuestionOfALoginsPageUsesTheLoginsScreen(isQueuedBefore: Bool, isChild: Bool) async throws {
        let authority = try TestAuthority()
        let alice = try authority.identity("alice")
        try await servers(authority) { own, other async throws in
            let screen = UserInteractionMultiplexer()
            let asking = Int(other.port)
            let provider = Provider(isInteractive: true, isMeant: { $0.target.origin.port == asking }) { _ in
                .identity(alice)
            }
            let url = "https://localhost:\(other.port)/"
            let aside = Aside(url)
            let manager = manager(authority, provider) { configuration in
                configuration.multiplexer = screen
                configuration.clientCertificateTimeout = .seconds(10)
                if isChild { configuration.responseFilters.add(aside) }
            }
            let start = isChild ? "https://localhost:\(own.port)/" : url
            let gate = Gate()
            let login = Task {
                try await screen.perform("login") {
                    await gate.wait()
                    return try await manager.text(start)
                }
            }
            while await screen.waiterCount("login", String.self) == 0 {
                try await Task.sleep(for: .milliseconds(1))
            }
            let queued = isQueuedBefore ? Task { try await manager.text(start) } : nil
            while isQueuedBefore, await screen.queueLength == 0 { try await Task.sleep(for: .milliseconds(1)) }
            gate.open()
            #expect(try await login.value == (isChild ? "nobody" : "CN=alice"))
            if let queued { #expect(try await queued.value == (isChild ? "nobody" : "CN=alice")) }
            #expect(Set(aside.answers) == (isChild ? ["CN=alice"] : []))
            #expect(provider.asked.value == 1)
        }
    }

    /// A provider's own request to the same server shows no certificate.
    @Test func aProviderThatAsksTheSameServer() async throws {
        let authority = try TestAuthority()
        let alice = try authority.identity("alice")
        try await servers(authority) { own, _ async throws in
            let url = "https://localhost:\(own.port)/"
            let names = Mutex<[String]>([])
            let provider = Provider { challenge in
                let name = try await challenge.context.start(HTTPRequest(.get, url)).text
                names.withLock { $0.append(name) }
                return .identity(alice)
            }
            let manager = manager(authority, provider) { $0.clientCertificateTimeout = .seconds(10) }
            #expect(try await manager.text(url) == "CN=alice")
            #expect(names.withLock { $0 } == ["nobody"])
        }
    }

    /// Answers servers in the handshake, and 401s.
    private struct Both: ChallengeFilter {
        let identity: ClientIdentity
        var handles: Set<AuthenticationMethod> { [.basic, .clientCertificate] }

        func answer(
            _ challenge: AuthenticationChallenge, in context: ConversationContext
        ) async throws -> ChallengeAnswer {
            challenge.method == .clientCertificate ? .present(identity) : .cancel
        }
    }

    @Test func childrenAnswerInTheHandshake() async throws {
        let authority = try TestAuthority()
        let both = Both(identity: try authority.identity("alice"))
        try await RawServer.run(tls: MutualServer(authority: authority, version: .tls13).context()) { connection in
            while true {
                let status = try await connection.readHead().hasPrefix("GET /open") ? "200 OK" : "401 Unauthorized"
                let name = try await connection.clientName() ?? "nobody"
                try await connection.write(
                    "HTTP/1.1 \(status)\r\nWWW-Authenticate: Basic realm=\"x\"\r\n"
                        + "Content-Length: \(name.utf8.count)\r\n\r\n\(name)")
            }
        } _: { server async throws in
            let url = "https://localhost:\(server.port)"
            let aside = Aside("\(url)/closed")
            var configuration = HttpConversationManager.Configuration()
            configuration.challengeFilters.add(both)
            configuration.responseFilters.add(aside)
            let manager = HttpConversationManager(
                transport: NIOTransport.trusting(authority), configuration: configuration)
            #expect(try await manager.text("\(url)/open") == "CN=alice")
            #expect(aside.answers == ["CN=alice"] && aside.statuses == [401])
        }
    }
}
