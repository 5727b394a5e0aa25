import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

/// Logins of several messages, and servers that have to prove who they are.
@Suite(.timeLimit(.minutes(1))) struct ContinuedLoginTests {
    /// A login whose messages are numbers: `X-Legs 1`, and what the server answers.
    private final class Legs: Credential {
        let number: Int
        let isMeant: Bool
        /// The number of challenges that it was asked about.
        let questions: Box<Int>
        private let sent = Atomic<Int>(0)

        init(_ number: Int = 1, isMeant: Bool = true, questions: Box<Int> = Box(0)) {
            self.number = number
            self.isMeant = isMeant
            self.questions = questions
        }

        private let method = AuthenticationMethod("x-legs")
        var servesOneExchange: Bool { true }
        var description: String { "legs" }

        func hasSameSecret(as other: any Credential) -> Bool { other is Legs }
        func answering(_ challenge: AuthenticationChallenge) -> (any Credential)? { Legs() }
        func covers(_ target: TargetURL) -> Bool { false }
        func isAllowed(to destination: CredentialDestination) -> Bool { isMeant }

        func isContinued(by challenge: OfferedChallenge) -> Bool {
            questions.update { $0 += 1 }
            return challenge.token68 != nil
        }

        func authorization(for request: ConversationRequest) async throws -> String {
            sent.add(1, ordering: .relaxed)
            return "X-Legs \(number)"
        }

        func verify(_ response: HTTPResponse) async throws {
            let proof = OfferedChallenge.offered(by: response).first { $0.method == method }?.token68
            guard proof == "proof" else { throw Unproven() }
        }
    }

    private struct Unproven: Error {}

    private struct LegsFilter: ChallengeFilter {
        let handles: Set<AuthenticationMethod> = [AuthenticationMethod("x-legs", strength: 40)]
        let requiredCapabilities: TransportCapabilities = .connectionOwners
        var origin: Origin?
        var questions = Box(0)

        func bindsConnections(to destination: CredentialDestination) -> Bool {
            origin.map { $0 == destination.target.origin } ?? true
        }

        func answer(
            _ challenge: AuthenticationChallenge, in context: ConversationContext
        ) async throws -> ChallengeAnswer {
            guard let sent = challenge.sent as? Legs, sent.isContinued(by: challenge.offered) else {
                return .use(Legs(questions: questions), .conversation)
            }
            return challenge.offered.token68 == "stop" ? .notHandled : .use(Legs(sent.number + 1), .conversation)
        }
    }

    private static func manager(
        _ transport: ScriptedTransport, _ filter: LegsFilter = LegsFilter()
    ) -> HttpConversationManager {
        var configuration = HttpConversationManager.Configuration()
        configuration.challengeFilters.add(filter)
        return HttpConversationManager(transport: transport, configuration: configuration)
    }

    private static let capabilities: TransportCapabilities = [
        .streamingRequests, .streamingResponses, .connectionOwners,
    ]

    private static func server(
        proof: String? = "X-Legs proof", status: HTTPResponse.Status = .ok, legs: Int = 1
    ) -> ScriptedTransport {
        ScriptedTransport(capabilities: capabilities) { request, _ in
            let number = request.headerFields[.authorization].flatMap { Int($0.dropFirst("X-Legs ".count)) } ?? 0
            guard number >= legs else {
                return .init(.unauthorized, [.wwwAuthenticate: number == 0 ? "X-Legs" : "X-Legs more"])
            }
            return .init(
                status, proof.map { [.wwwAuthenticate: $0, .setCookie: "a=b"] } ?? [.setCookie: "a=b"], body: "body")
        }
    }

    private static func values(_ transport: ScriptedTransport) -> [String] {
        transport.requests.map { $0.headerFields[.authorization] ?? "" }
    }

    @Test func eachExchangeIsALoginOfItsOwn() async throws {
        let transport = Self.server()
        let manager = Self.manager(transport)
        for _ in 0..<2 {
            let response = try await manager.get("https://a.example/")
            #expect(response.login == .accepted)
        }
        #expect(Self.values(transport) == ["", "X-Legs 1", "", "X-Legs 1"])
        // All of a session's exchanges have the same owner.
        let owners = transport.requests.map(\.options.connectionOwner)
        #expect(owners[0] != nil && owners.allSatisfy { $0 == owners[0] })
    }

    /// The server may know the login's beginning by the connection, which must not be another conversation's.
    @Test(arguments: [2, 3, 5]) func furtherMessagesHaveAConnectionOfTheirOwn(legs: Int) async throws {
        let transport = Self.server(legs: legs)
        #expect(try await Self.manager(transport).get("https://a.example/").status == .ok)
        #expect(Self.values(transport) == ["", "X-Legs 1"] + (1...legs).map { "X-Legs \($0)" })
        let owners = transport.requests.map(\.options.connectionOwner)
        #expect(owners[0] == owners[1] && owners[1] != owners[2])
        #expect(owners[2...].allSatisfy { $0 != nil && $0 == owners[2] })
    }

    @Test func endlessMessagesEnd() async throws {
        let transport = Self.server(legs: .max)
        let response = try await Self.manager(transport).get("https://a.example/")
        #expect(response.status == .unauthorized && response.login == .refused)
        #expect(transport.requests.count == 8)
    }

    /// A server may offer a new login beside the message.
    @Test(arguments: ["X-Legs stop", "X-Legs, X-Legs stop", "X-Legs stop, X-Legs"])
    func afterAMessageThatRefusesNothingIsSent(answer: String) async throws {
        let transport = ScriptedTransport(capabilities: Self.capabilities) { request, _ in
            let field = request.headerFields[.authorization]
            return .init(.unauthorized, [.wwwAuthenticate: field == nil ? "X-Legs" : answer])
        }
        let response = try await Self.manager(transport).get("https://a.example/")
        #expect(response.status == .unauthorized && response.login == .refused)
        #expect(Self.values(transport) == ["", "X-Legs 1"])
    }

    /// The work for a response grows with its length only.
    @Test(arguments: [true, false]) func ofManyChallengesTheFirstAreLookedAt(inOneField: Bool) async throws {
        let many = Array(repeating: "X-Legs", count: 2000)
        let transport = ScriptedTransport(capabilities: Self.capabilities) { _, _ in
            var fields = HTTPFields()
            for value in inOneField ? [many.joined(separator: ",")] : many {
                fields.append(HTTPField(name: .wwwAuthenticate, value: value))
            }
            return .init(.unauthorized, fields)
        }
        let questions = Box(0)
        let response = try await Self.manager(transport, LegsFilter(questions: questions)).get("https://a.example/")
        #expect(response.status == .unauthorized && Self.values(transport) == ["", "X-Legs 1"])
        #expect((64...400).contains(questions.value))
    }

    @Test(arguments: [nil, "X-Legs", "X-Legs lie", "Other proof"] as [String?])
    func withoutAProofNothingIsDelivered(_ proof: String?) async throws {
        let transport = Self.server(proof: proof)
        let manager = Self.manager(transport)
        let error = await #expect(throws: ConversationError.self) { try await manager.get("https://a.example/") }
        #expect(error?.code == .authenticationFailed)
        #expect(error?.underlyingError is Unproven)
        #expect(error?.login == .failed)
        #expect(manager.configuration.session.cookies.snapshot.cookies.isEmpty)
        #expect(transport.requests.count == 2)
    }

    /// Only these exchanges are kept apart.
    @Test func otherServersHaveNoOwner() async throws {
        let transport = Self.server()
        let manager = Self.manager(transport, LegsFilter(origin: try TargetURL("https://b.example").origin))
        _ = try await manager.get("https://a.example/")
        #expect(transport.requests.allSatisfy { $0.options.connectionOwner == nil })
    }

    @Test func sessionsHaveOwnersOfTheirOwn() async throws {
        let transport = Self.server()
        for _ in 0..<2 { _ = try await Self.manager(transport).get("https://a.example/") }
        let manager = Self.manager(transport)
        _ = try await manager.get("https://a.example/")
        manager.configuration.session.removeCredentials()
        _ = try await manager.get("https://a.example/")
        #expect(Set(transport.requests.compactMap(\.options.connectionOwner)).count == 4)
    }

    @Test func aTransportThatKeepsNoOwnersApartIsRefused() async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let error = await #expect(throws: ConversationError.self) {
            try await Self.manager(transport).get("https://a.example/")
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(transport.requests.isEmpty)
    }

    /// The others wait for the verdict on the first login, and then each makes its own.
    @Test func manyConversationsAtOnce() async throws {
        let transport = Self.server(legs: 2)
        let manager = Self.manager(transport)
        try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
            for index in 0..<50 { group.addTask { try await manager.get("https://a.example/\(index)").status } }
            for try await status in group { #expect(status == .ok) }
        }
        #expect(Self.values(transport).count { $0 == "X-Legs 2" } == 50)
    }
}
