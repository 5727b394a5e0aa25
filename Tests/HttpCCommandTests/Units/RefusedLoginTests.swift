import Foundation
import HttpC
import HttpConversationTesting
import Synchronization
import Testing

@testable import HttpCClient

/// Passwords that a server has refused, in a process that goes on.
@Suite(.timeLimit(.minutes(1))) struct RefusedLoginTests {
    /// A password that changes, a server that accepts one of them, and a clock.
    private final class Bench: UsernamePasswordProvider, HTTPTransport {
        private struct State {
            var password = "wrong"
            var sent: [String] = []
            var now = ContinuousClock.now
            var realms = 0
            var hasManyRealms = false
        }

        private let state = Mutex(State())

        var password: String {
            get { state.withLock(\.password) }
            set { state.withLock { $0.password = newValue } }
        }
        /// The passwords that the server got.
        var sent: [String] { state.withLock(\.sent) }
        var now: ContinuousClock.Instant { state.withLock(\.now) }
        /// Whether each challenge has a realm of its own.
        var hasManyRealms: Bool {
            get { state.withLock(\.hasManyRealms) }
            set { state.withLock { $0.hasManyRealms = newValue } }
        }

        private var realm: String {
            state.withLock { state in
                state.realms += 1
                return state.hasManyRealms ? "r\(state.realms)" : "r"
            }
        }

        func wait(_ time: Duration) { state.withLock { $0.now += time } }

        var isInteractive: Bool { false }
        func serves(_ destination: CredentialDestination) -> Bool { true }
        func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
            .credential(UsernamePassword(username: "", password: password), persistence: .session)
        }

        var capabilities: TransportCapabilities { [] }
        func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
            let login = request.headerFields[.authorization].flatMap { Data(base64Encoded: String($0.dropFirst(6))) }
            let password = login.map { String(decoding: $0.dropFirst(), as: UTF8.self) }
            if let password { state.withLock { $0.sent.append(password) } }
            let isPublic = request.target.path == "/public"
            var head = HTTPResponse(status: password == "right" || isPublic ? .ok : .unauthorized)
            if head.status == .unauthorized { head.headerFields[.wwwAuthenticate] = "Basic realm=\"\(realm)\"" }
            return TransportResponse(head: head, body: ResponseBody())
        }
        func shutdown() async {}
    }

    private let bench = Bench()
    private let outcomes: ChallengeOutcomes
    private let manager: HttpConversationManager

    init() {
        outcomes = ChallengeOutcomes { [bench] in bench.now }
        manager = Self.manager(over: bench, bench, outcomes)
    }

    private static func manager(
        over transport: some HTTPTransport, _ bench: Bench, _ outcomes: ChallengeOutcomes
    ) -> HttpConversationManager {
        var configuration = HttpConversationManager.Configuration()
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(OnceRefusedProvider(base: bench, outcomes: outcomes))
        configuration.apply(configurator)
        configuration.observers.add(outcomes)
        return HttpConversationManager(transport: transport, configuration: configuration)
    }

    private func request(_ path: String = "/") async throws -> Int {
        try await manager.data(for: HTTPRequest(.get, "https://a.example\(path)")).status.code
    }

    /// Each attempt may lock the account.
    @Test func aRefusedPasswordIsNotTriedAgainSoon() async throws {
        for _ in 0..<20 {
            #expect(try await request() == 401)
            bench.wait(.seconds(29))
        }
        #expect(bench.sent == ["wrong"])
        bench.wait(.seconds(30))
        #expect(try await request() == 401)
        #expect(bench.sent == ["wrong", "wrong"])
        #expect(outcomes.lastRefusal?.contains("refused") == true)
    }

    /// The refusal asks for no login, or for another one, so the provider is not asked again for the same URL.
    @Test(
        arguments: [
            ("Basic realm=r", nil), ("Basic realm=r", "Bearer"), ("Basic realm=r", "Negotiate"),
            ("Digest realm=r, nonce=n, qop=auth", nil), ("Digest realm=r, nonce=n, qop=auth", "Bearer"),
            ("Digest realm=r, nonce=n, qop=auth", "Basic realm=r"),
        ] as [(String, String?)]) func aPasswordRefusedWithoutItsChallengeIsNotSentForTheNextURL(
            first: String, then: String?
        ) async throws
    {
        let transport = ScriptedTransport { request, _ throws(ConversationError) in
            let challenge = request.headerFields.contains(.authorization) ? then : first
            return .init(.unauthorized, challenge.map { [.wwwAuthenticate: $0] } ?? [:])
        }
        let manager = Self.manager(over: transport, bench, outcomes)
        for number in 1...3 {
            let status = try await manager.data(for: HTTPRequest(.get, "https://a.example/\(number)")).status
            #expect(status == .unauthorized)
        }
        #expect(transport.requests.map { $0.headerFields.contains(.authorization) } == [false, true, false, false])
        #expect(outcomes.lastRefusal?.contains("refused") == true)
    }

    /// A server that has a time in its realm would lock the account in one run.
    @Test func realmsThatChangeGetNoMorePasswords() async throws {
        bench.hasManyRealms = true
        for _ in 0..<5 {
            #expect(try await request() == 401)
            #expect(try await request("/public") == 200)
        }
        #expect(bench.sent == ["wrong", "wrong"])
        bench.password = "right"
        #expect(try await request() == 200)
    }

    @Test func aCorrectedPasswordIsUsedAfterAPause() async throws {
        #expect(try await request() == 401)
        bench.password = "right"
        #expect(try await request() == 401)
        bench.wait(.seconds(30))
        #expect(try await request() == 200)
        #expect(bench.sent == ["wrong", "right"])
    }

    /// The program that knows the password is then asked again.
    @Test(arguments: [("loginRefused", true), ("serverFailed", false)])
    func aRefusalByECPIsKnownOnce(code: String, isRefusal: Bool) async throws {
        struct Login: ResponseFilter {
            let code: String
            func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict
            {
                context.notify(.webLoginFinished(.saml2, origin: nil, strategy: "ECP", outcome: .failed(code: code)))
                return .proceed
            }
        }
        manager.update {
            $0.observers.add(outcomes)
            $0.add(Login(code: code))
        }
        #expect(try await request() == 401)
        #expect(outcomes.takeECPRefusal() == isRefusal && !outcomes.takeECPRefusal())
    }

    @Test func theSpacesAreBounded() throws {
        let origin = try TargetURL("https://a.example/").origin
        let login = UsernamePassword(username: "a", password: "b")
        func space(_ number: Int) -> ProtectionSpace {
            ProtectionSpace(origin: origin, method: .basic, realm: "\(number)")
        }
        for number in 0...ChallengeOutcomes.maximumSpaces {
            #expect(outcomes.mayGive(login, at: space(number)))
            outcomes.refusedLogin(at: space(number))
            bench.wait(.milliseconds(1))
        }
        #expect(!outcomes.isLoginRefused(at: space(0)) && outcomes.isLoginRefused(at: space(1)))
    }
}
