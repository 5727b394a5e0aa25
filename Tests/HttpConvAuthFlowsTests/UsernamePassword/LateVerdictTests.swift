import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

/// Answers that arrive after a credential was refused, replaced or removed do not bring it back.
@Suite("Late verdicts", .timeLimit(.minutes(1)))
struct LateVerdictTests {
    private static let base = "http://127.0.0.1"

    /// Answers by path: `/slow` once the gate is open; `/b` refuses the password "first"; others accept any password.
    private static func transport(_ gate: Gate) -> ScriptedTransport {
        ScriptedTransport { request, _ in
            let authorization = request.headerFields[.authorization]
            let path = request.target.path
            if authorization == nil || path == "/b" && authorization == basic("first") {
                return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""])
            }
            if path == "/slow" { await gate.pass() }
            return .init(.ok)
        }
    }

    private static func basic(_ password: String) -> String {
        "Basic \(Data("alice:\(password)".utf8).base64EncodedString())"
    }

    /// Something that happens while an accepted exchange is on its way.
    enum Event: CaseIterable {
        /// The password is refused elsewhere, and nobody has another.
        case refused
        /// It is refused elsewhere, and another one is accepted.
        case replaced
        /// The application removes all credentials.
        case removed
    }

    @Test(arguments: Event.allCases) func aLateAcceptanceProvesNothing(event: Event) async throws {
        let gate = Gate()
        let transport = Self.transport(gate)
        let provider = CountingProvider { _, count in
            guard count == 0 || event != .refused else { return .none }
            return .credential(
                UsernamePassword(username: "alice", password: count == 0 ? "first" : "second"), persistence: .session)
        }
        let manager = HttpConversationManager.with(transport, provider)
        _ = try await manager.get("\(Self.base)/a")
        async let slow = manager.get("\(Self.base)/slow")
        while !transport.requests.contains(where: { $0.target.path == "/slow" }) { await Task.yield() }
        switch event {
        case .refused: #expect(try await manager.get("\(Self.base)/b").status == .unauthorized)
        case .replaced: #expect(try await manager.get("\(Self.base)/b").status == .ok)
        case .removed: manager.configuration.session.removeCredentials()
        }
        gate.open()
        #expect(try await slow.status == .ok)
        _ = try await manager.get("\(Self.base)/c")
        let sent = transport.requests.filter { $0.target.path == "/slow" || $0.target.path == "/c" }
        #expect(sent[0].headerFields[.authorization] == Self.basic("first"))
        #expect(sent[1].headerFields[.authorization] == (event == .replaced ? Self.basic("second") : nil))
    }

    /// A provider learns with the next challenge that its password was refused, once.
    @Test(arguments: [nil, "Bearer"]) func aRefusalWithoutItsChallengeIsToldOnce(challenge: String?) async throws {
        let transport = ScriptedTransport { request, _ in
            switch request.headerFields[.authorization] {
            case nil: .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""])
            case Self.basic("second"): .init(.ok)
            default: .init(.unauthorized, challenge.map { [.wwwAuthenticate: $0] } ?? [:])
            }
        }
        let provider = CountingProvider { _, count in
            .credential(
                UsernamePassword(username: "alice", password: count < 3 ? "first" : "second"), persistence: .session)
        }
        let manager = HttpConversationManager.with(transport, provider)
        var statuses: [Int] = []
        for number in 0..<4 { statuses.append(try await manager.get("\(Self.base)/\(number)").status.code) }
        #expect(statuses == [401, 401, 401, 200])
        #expect(provider.asked.map(\.previousFailureCount) == [0, 1, 0, 1])
        let sent = transport.requests.compactMap { $0.headerFields[.authorization] }
        #expect(sent == [Self.basic("first"), Self.basic("first"), Self.basic("second")])
    }

    /// The server behind a gateway with a password may want a login of its own.
    @Test func aLoginThatAFilterAddsLeavesThePassword() async throws {
        struct Login: ResponseFilter {
            let isLoggedIn: Box<Bool>
            func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict
            {
                guard response.status == .unauthorized, !isLoggedIn.value else { return .proceed }
                isLoggedIn.update { $0 = true }
                return .repeatExchange(reason: "logged in")
            }
        }
        let isLoggedIn = Box(false)
        let transport = ScriptedTransport { request, _ in
            guard request.headerFields[.authorization] != nil else {
                return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""])
            }
            return .init(isLoggedIn.value ? .ok : .unauthorized)
        }
        let provider = CountingProvider("alice", "first")
        let manager = HttpConversationManager.with(transport, provider)
        manager.update { $0.add(Login(isLoggedIn: isLoggedIn)) }
        for path in ["/a", "/b"] { #expect(try await manager.get(Self.base + path).status == .ok) }
        #expect(transport.requests.map { $0.headerFields[.authorization] != nil } == [false, true, true, true])
        #expect(provider.count == 1)
    }

    /// Only that resource may want another login.
    @Test(arguments: [nil, "Bearer"]) func anAcceptedPasswordOutlivesARefusalWithoutItsChallenge(
        challenge: String?
    ) async throws {
        let transport = ScriptedTransport { request, _ in
            guard request.headerFields[.authorization] != nil else {
                return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"r\""])
            }
            guard request.target.path.hasPrefix("/other") else { return .init(.ok) }
            return .init(.unauthorized, challenge.map { [.wwwAuthenticate: $0] } ?? [:])
        }
        let provider = CountingProvider("alice", "first")
        let manager = HttpConversationManager.with(transport, provider)
        var statuses: [Int] = []
        for path in ["/in/a", "/in/b", "/other/c", "/in/d", "/other/e"] {
            statuses.append(try await manager.get(Self.base + path).status.code)
        }
        #expect(statuses == [200, 200, 401, 200, 401])
        #expect(provider.count == 1)
    }

    /// A server that names ever new realms does not decide how much memory a session keeps.
    @Test func theLeastUsefulRealmsAreDropped() async throws {
        let challenges = Atomic(0)
        let transport = ScriptedTransport { request, _ in
            if request.headerFields[.authorization] != nil { return .init(.ok) }
            challenges.add(1, ordering: .relaxed)
            let realm = request.target.path.split(separator: "/").first ?? ""
            return .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"\(realm)\""])
        }
        let provider = CountingProvider { _, _ in
            .credential(UsernamePassword(username: "alice", password: "first"), persistence: .session)
        }
        let manager = HttpConversationManager.with(transport, provider)
        for number in 0..<300 { _ = try await manager.get("\(Self.base)/\(number)/") }
        #expect(challenges.load(ordering: .relaxed) == 300)
        _ = try await manager.get("\(Self.base)/299/again")
        #expect(challenges.load(ordering: .relaxed) == 300)
        _ = try await manager.get("\(Self.base)/0/again")
        #expect(challenges.load(ordering: .relaxed) == 301)
    }
}
