import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

/// Many conversations that are challenged at the same time share one question and one failed login.
///
/// The provider is held until the engine reports that all of them wait, so that none can come late.
@Suite("Parallel logins", .timeLimit(.minutes(1)))
struct ParallelLoginTests {
    private static let count = 1000
    private static let space = "http://127.0.0.1/staff/"

    private func urls(_ count: Int = count) -> [String] { (0..<count).map { "\(Self.space)\($0)" } }

    private func server() -> BasicServer {
        BasicServer(.init(name: "staff", path: "/staff/", octets: Array("alice:wonder".utf8)))
    }

    /// Runs one GET per URL; opens the gate once `waiters` wait for the answer in each of the spaces.
    private func run(
        _ urls: [String], on manager: HttpConversationManager, gate: Gate, waiters: Int, in spaces: [ProtectionSpace]
    ) async throws -> [Result<ConversationResponse, any Error>] {
        let filter = try #require(manager.passwordFilter)
        let flights = manager.configuration.session.steps
        async let results = manager.getAll(urls)
        for space in spaces { await flights.waitForWaiters(waiters, of: filter.question(in: space)) }
        gate.open()
        return await results
    }

    private func basicSpace(_ origin: String = "127.0.0.1", _ realm: String = "staff") throws -> ProtectionSpace {
        ProtectionSpace(origin: try Origin(scheme: .http, host: origin), method: .basic, realm: realm)
    }

    /// A provider that answers once the gate is open.
    private func gated(_ gate: Gate, _ answer: @escaping @Sendable () throws -> ProvidedCredential) -> CountingProvider
    {
        CountingProvider { _, _ in
            await gate.pass()
            return try answer()
        }
    }

    private static func login(_ password: String) -> ProvidedCredential {
        .credential(UsernamePassword(username: "alice", password: password), persistence: .session)
    }

    @Test(arguments: [CredentialPersistence.session, .conversation])
    func aThousandAskOnce(_ persistence: CredentialPersistence) async throws {
        let (server, gate) = (server(), Gate())
        let provider = gated(gate) {
            .credential(UsernamePassword(username: "alice", password: "wonder"), persistence: persistence)
        }
        let transport = server.transport()
        let manager = HttpConversationManager.with(transport, provider)
        let results = try await run(urls(), on: manager, gate: gate, waiters: Self.count, in: [basicSpace()])
        #expect(try results.map { try $0.get().text } == (0..<Self.count).map { "staff /staff/\($0)" })
        #expect((provider.count, provider.peak) == (1, 1))
        #expect((server.challengeCount, server.failedLogins.count) == (Self.count, 0))
        #expect(transport.requests.count == 2 * Self.count)
        // A credential for the conversations only is gone with them.
        _ = try await manager.get("\(Self.space)later")
        #expect(provider.count == (persistence == .session ? 1 : 2))
    }

    @Test func twoRealmsAndTwoOriginsInterleaved() async throws {
        let gate = Gate()
        let server = BasicServer(
            .init(name: "red", path: "/red/", octets: Array("red:r".utf8)),
            .init(name: "blue", path: "/blue/", octets: Array("blue:b".utf8)))
        let provider = CountingProvider { challenge, _ in
            await gate.pass()
            let password = String(challenge.realm.prefix(1))
            return .credential(UsernamePassword(username: challenge.realm, password: password), persistence: .session)
        }
        let manager = HttpConversationManager.with(server.transport(), provider)
        let urls = (0..<Self.count).map { index in
            "http://127.0.0.\(1 + index % 2)/\(index % 4 < 2 ? "red" : "blue")/\(index)"
        }
        let spaces = try ["127.0.0.1", "127.0.0.2"].flatMap { host in
            try ["red", "blue"].map { try basicSpace(host, $0) }
        }
        let results = try await run(urls, on: manager, gate: gate, waiters: Self.count / 4, in: spaces)
        for (index, result) in results.enumerated() {
            #expect(try result.get().text.hasSuffix("/\(index)"))
        }
        #expect(results.count == Self.count)
        #expect((provider.count, server.failedLogins.count) == (4, 0))
    }

    @Test func cancelGoesToAll() async throws {
        let (server, gate) = (server(), Gate())
        let provider = gated(gate) { .cancel }
        let manager = HttpConversationManager.with(server.transport(), provider)
        let results = try await run(urls(), on: manager, gate: gate, waiters: Self.count, in: [basicSpace()])
        let codes = results.map { result in (#expect(throws: ConversationError.self) { try result.get() })?.code }
        #expect(codes.allSatisfy { $0 == .cancelled })
        #expect((codes.count, provider.count, server.challengeCount) == (Self.count, 1, Self.count))
        // A cancellation is not remembered: the next conversation asks.
        _ = try? await manager.get("\(Self.space)later")
        #expect(provider.count == 2)
    }

    @Test func failureGoesToAll() async throws {
        let (server, gate) = (server(), Gate())
        let provider = gated(gate) { throw ProviderFailure(text: "locked") }
        let manager = HttpConversationManager.with(server.transport(), provider)
        let results = try await run(urls(), on: manager, gate: gate, waiters: Self.count, in: [basicSpace()])
        let errors = results.map { result in #expect(throws: ConversationError.self) { try result.get() } }
        #expect(errors.allSatisfy { $0?.code == .authenticationFailed })
        #expect(errors.allSatisfy { $0?.underlyingError as? ProviderFailure == ProviderFailure(text: "locked") })
        #expect((errors.count, provider.count) == (Self.count, 1))
    }

    @Test func aWrongPasswordCostsOneFailedLoginForAll() async throws {
        let (server, gate) = (server(), Gate())
        let provider = gated(gate) { Self.login("wrong") }
        let transport = server.transport()
        let manager = HttpConversationManager.with(transport, provider)
        let results = try await run(urls(), on: manager, gate: gate, waiters: Self.count, in: [basicSpace()])
        #expect(try results.allSatisfy { try $0.get().status == .unauthorized })
        #expect(server.failedLogins.count == 1)
        #expect(transport.requests.count == Self.count + 1)
        // Once for the first answer, and once because it was wrong.
        #expect((results.count, provider.count, provider.peak) == (Self.count, 2, 1))
    }

    /// A server that is overloaded, or refuses the request for another reason, has not looked at the password: the
    /// others do not take it for accepted.
    @Test(arguments: [
        HTTPResponse.Status.tooManyRequests, .badGateway, .serviceUnavailable, .gatewayTimeout, .requestTimeout,
        .contentTooLarge, .misdirectedRequest, .tooEarly, .requestHeaderFieldsTooLarge,
        .networkAuthenticationRequired,
    ])
    func aServerThatDoesNotLookAcceptsNothing(status: HTTPResponse.Status) async throws {
        let (server, gate) = (server(), Gate())
        let isFirst = Atomic(true)
        let provider = gated(gate) { Self.login("wrong") }
        let transport = ScriptedTransport { request, _ in
            if request.headerFields[.authorization] != nil, isFirst.exchange(false, ordering: .relaxed) {
                return .init(status)
            }
            return server.answer(request)
        }
        let manager = HttpConversationManager.with(transport, provider)
        let results = try await run(urls(20), on: manager, gate: gate, waiters: 20, in: [basicSpace()])
        let statuses = try results.map { try $0.get().status }
        #expect(statuses.count { $0 == status } == 1)
        #expect(statuses.count { $0 == .unauthorized } == 19)
        #expect(server.failedLogins.count == 1)
    }

    /// Beyond ASCII there are two forms to try, and only two, for any number of conversations.
    @Test func aWrongPasswordBeyondASCIICostsTwoFailedLoginsForAll() async throws {
        let (server, gate) = (server(), Gate())
        let provider = gated(gate) { Self.login("wröng") }
        let manager = HttpConversationManager.with(server.transport(), provider)
        let results = try await run(urls(), on: manager, gate: gate, waiters: Self.count, in: [basicSpace()])
        #expect(try results.allSatisfy { try $0.get().status == .unauthorized })
        #expect(server.failedLogins == [Array("alice:wr".utf8) + [0xF6] + Array("ng".utf8), Array("alice:wröng".utf8)])
    }

    @Test func oneWhoLeavesDoesNotDisturbTheOthers() async throws {
        let (server, gate) = (server(), Gate())
        let provider = gated(gate) { Self.login("wonder") }
        let manager = HttpConversationManager.with(server.transport(), provider)
        let filter = try #require(manager.passwordFilter)
        let question = filter.question(in: try basicSpace())
        let leaver = try manager.start(try HTTPRequest(.get, "\(Self.space)leaver"))
        await manager.configuration.session.steps.waitForWaiters(1, of: question)
        async let results = manager.getAll(urls(20))
        await manager.configuration.session.steps.waitForWaiters(21, of: question)
        leaver.cancel()
        #expect(await failureCode { try await leaver.value } == .cancelled)
        gate.open()
        #expect(try await results.allSatisfy { try $0.get().status == .ok })
        #expect(provider.count == 1)
    }

    @Test func managersWithOtherProvidersAskTheirOwn() async throws {
        let gate = Gate()
        let server = server()
        let transport = server.transport()
        let session = HttpSession()
        let (right, none) = (gated(gate) { Self.login("wonder") }, gated(gate) { .none })
        let managers = [
            HttpConversationManager.with(transport, session: session, right),
            HttpConversationManager.with(transport, session: session, none),
        ]
        async let first = managers[0].getAll(urls(10))
        async let second = managers[1].getAll(urls(10))
        for manager in managers {
            let filter = try #require(manager.passwordFilter)
            await session.steps.waitForWaiters(10, of: filter.question(in: try basicSpace()))
        }
        gate.open()
        #expect(try await first.allSatisfy { try $0.get().status == .ok })
        // The other manager's provider had no answer, and its own provider decides.
        #expect(try await second.allSatisfy { try $0.get().status == .unauthorized })
        #expect((right.count, none.count) == (1, 1))
    }

    // MARK: Digest

    private func digestSpace() throws -> ProtectionSpace {
        ProtectionSpace(origin: try Origin(scheme: .http, host: "127.0.0.1"), method: .digest, realm: "strict")
    }

    @Test(arguments: [true, false])
    func aThousandAgainstDigest(_ sharesNonces: Bool) async throws {
        let gate = Gate()
        let server = DigestServer("alice", "wonder", .init(sharesNonces: sharesNonces))
        let provider = gated(gate) { Self.login("wonder") }
        let manager = HttpConversationManager.with(server.transport(), provider)
        let results = try await run(urls(), on: manager, gate: gate, waiters: Self.count, in: [digestSpace()])
        #expect(try results.map { try $0.get().text } == (0..<Self.count).map { "for alice: /staff/\($0)" })
        #expect((provider.count, server.account.accepted) == (1, Self.count))
        #expect((server.account.replays, server.account.failedLogins, server.account.stale) == (0, 0, 0))
        #expect(server.account.unauthenticated == Self.count)
    }

    @Test func aWrongDigestPasswordCostsOneFailedLoginForAll() async throws {
        let gate = Gate()
        let server = DigestServer("alice", "wonder")
        let provider = gated(gate) { Self.login("wrong") }
        let manager = HttpConversationManager.with(server.transport(), provider)
        let results = try await run(urls(), on: manager, gate: gate, waiters: Self.count, in: [digestSpace()])
        #expect(try results.allSatisfy { try $0.get().status == .unauthorized })
        #expect((server.account.failedLogins, provider.count) == (1, 2))
    }

    /// Separate nonces with a few uses each, a shared one that expires in the middle, and `nextnonce` for each answer.
    @Test(arguments: [
        DigestServer.Options(usesPerNonce: 5), DigestServer.Options(usesPerNonce: 150, sharesNonces: true),
        DigestServer.Options(usesPerNonce: 1, sendsNextNonce: true),
        DigestServer.Options(algorithm: "MD5-sess", usesPerNonce: 3),
    ])
    func noncesThatExpireInTheMiddleOfABurst(_ options: DigestServer.Options) async throws {
        let server = DigestServer("alice", "wonder", options)
        let provider = CountingProvider("alice", "wonder")
        // The first conversation takes two exchanges; after that, answers wait until two more requests have arrived.
        let crowd = Gate()
        let transport = ScriptedTransport { request, index async throws(ConversationError) in
            if index == 3 { crowd.open() }
            if index >= 2 { await crowd.pass() }
            return server.answer(request)
        }
        let manager = HttpConversationManager.with(transport, provider)
        _ = try await manager.get("\(Self.space)first")
        for _ in 0..<2 {
            let results = await manager.getAll(urls(200))
            #expect(try results.map { try $0.get().text } == (0..<200).map { "for alice: /staff/\($0)" })
        }
        #expect(server.account.stale > 0)
        #expect((server.account.replays, server.account.failedLogins) == (0, 0))
        #expect((server.account.accepted, provider.count) == (401, 1))
    }
}
