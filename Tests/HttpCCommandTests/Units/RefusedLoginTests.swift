import Foundation
import HttpC
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
        }

        private let state = Mutex(State())

        var password: String {
            get { state.withLock(\.password) }
            set { state.withLock { $0.password = newValue } }
        }
        /// The passwords that the server got.
        var sent: [String] { state.withLock(\.sent) }
        var now: ContinuousClock.Instant { state.withLock(\.now) }

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
            var head = HTTPResponse(status: password == "right" ? .ok : .unauthorized)
            if head.status == .unauthorized { head.headerFields[.wwwAuthenticate] = "Basic realm=\"r\"" }
            return TransportResponse(head: head, body: ResponseBody())
        }
        func shutdown() async {}
    }

    private let bench = Bench()
    private let outcomes: ChallengeOutcomes
    private let manager: HttpConversationManager

    init() {
        outcomes = ChallengeOutcomes { [bench] in bench.now }
        var configuration = HttpConversationManager.Configuration()
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(OnceRefusedProvider(base: bench, outcomes: outcomes))
        configuration.apply(configurator)
        manager = HttpConversationManager(transport: bench, configuration: configuration)
    }

    private func request() async throws -> Int {
        try await manager.data(for: HTTPRequest(.get, "https://a.example/")).status.code
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

    @Test func aCorrectedPasswordIsUsedAfterAPause() async throws {
        #expect(try await request() == 401)
        bench.password = "right"
        #expect(try await request() == 401)
        bench.wait(.seconds(30))
        #expect(try await request() == 200)
        #expect(bench.sent == ["wrong", "right"])
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
