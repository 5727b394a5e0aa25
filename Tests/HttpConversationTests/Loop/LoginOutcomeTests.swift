import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

/// A program can tell a wrong password from a missing one without reading the attempts.
@Suite(.timeLimit(.minutes(1))) struct LoginOutcomeTests {
    private typealias Answer = ScriptedTransport.Answer

    enum Login: String, CaseIterable {
        case none, right, wrong, nothingForIt, otherKind, callersOwn, callersOwnWrong
    }

    enum Server: String, CaseIterable { case open, basic, silent, forbidden }

    private static let right = "Basic right"

    private static func transport(_ server: Server) -> ScriptedTransport {
        ScriptedTransport { request, _ in
            let isRight = request.headerFields[.authorization] == Self.right
            return switch server {
            case .open: Answer(.ok, body: "page")
            case .basic:
                isRight
                    ? Answer(.ok, body: "page") : Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R"], body: "no")
            case .silent: isRight ? Answer(.ok, body: "page") : Answer(.unauthorized, body: "no")
            case .forbidden:
                isRight ? Answer(.forbidden) : Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R"])
            }
        }
    }

    private static func manager(_ login: Login, _ transport: ScriptedTransport) -> HttpConversationManager {
        var filter = TestFilter()
        switch login {
        case .right: filter.onChallenge = { _, _ in .use(TokenCredential(token: "right"), .session) }
        case .wrong: filter.onChallenge = { _, _ in .use(TokenCredential(token: "wrong"), .session) }
        case .otherKind: filter.handles = [.bearer]
        default: break
        }
        var configuration = HttpConversationManager.Configuration()
        if [.right, .wrong, .nothingForIt, .otherKind].contains(login) { configuration.challengeFilters.add(filter) }
        return HttpConversationManager(transport: transport, configuration: configuration)
    }

    private static func fields(_ login: Login) -> HTTPFields {
        switch login {
        case .callersOwn: [.authorization: right]
        case .callersOwnWrong: [.authorization: "Basic wrong"]
        default: [:]
        }
    }

    private static func expected(_ server: Server, _ login: Login) -> LoginOutcome {
        switch (server, login) {
        case (.open, .callersOwn), (.open, .callersOwnWrong): .accepted
        case (.open, _): .notAsked
        case (.basic, .right), (.forbidden, .right), (_, .callersOwn): .accepted
        case (.basic, .wrong), (.forbidden, .wrong), (_, .callersOwnWrong): .refused
        case (.basic, .nothingForIt), (.forbidden, .nothingForIt): .unanswered
        // No filter answers a 401 without a challenge.
        case (.silent, _), (_, .none), (_, .otherKind): .notConfigured
        }
    }

    @Test(arguments: Server.allCases, Login.allCases)
    func responsesHaveTheLoginOutcome(server: Server, login: Login) async throws {
        let manager = Self.manager(login, Self.transport(server))
        let response = try await manager.get("https://example.com/", fields: Self.fields(login))
        #expect(response.login == Self.expected(server, login), "\(response.status)")
        let stream = try await manager.bytes(for: "https://example.com/", fields: Self.fields(login))
        let again = try #require(
            [server == .open ? LoginOutcome.notAsked : nil, response.login].compactMap { $0 }.last)
        #expect(stream.login == again)
    }

    @Test(arguments: Login.allCases) func errorsHaveTheLoginOutcome(login: Login) async throws {
        let manager = Self.manager(login, Self.transport(.basic))
        let outcome = Self.expected(.basic, login)
        let response = try await manager.get("https://example.com/", fields: Self.fields(login))
        guard response.status != .ok else {
            #expect(outcome == .accepted)
            return
        }
        let error = #expect(throws: ConversationError.self) { try response.successful() }
        #expect(error?.code == .unsuccessfulStatus && error?.login == outcome && outcome != .accepted)
        #expect(error?.adding("more").login == outcome)
        let hint = try #require(outcome.hint)
        #expect(error?.message.contains(hint) == true)
    }

    @Test func aLoginThatFails() async throws {
        struct Failure: Error {}
        var configuration = HttpConversationManager.Configuration()
        configuration.challengeFilters.add(TestFilter(onChallenge: { _, _ in throw Failure() }))
        let manager = HttpConversationManager(transport: Self.transport(.basic), configuration: configuration)
        let error = await #expect(throws: ConversationError.self) { try await manager.get("https://example.com/") }
        #expect(error?.code == .authenticationFailed && error?.login == .failed)
    }

    /// A login before a redirect counts, even if the last server demands none.
    @Test func aRedirectAfterTheLogin() async throws {
        let transport = ScriptedTransport { request, _ in
            if request.target.origin.host == "other.example" { return Answer(.ok, body: "page") }
            return request.headerFields.contains(.authorization)
                ? Answer(.found, [.location: "https://other.example/"])
                : Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R"])
        }
        let response = try await Self.manager(.right, transport).get("https://example.com/")
        #expect(response.status == .ok && response.login == .accepted)
        #expect(transport.requests.last?.headerFields.contains(.authorization) == false)
    }

    /// An error after a login has the login's outcome.
    @Test func aCutBodyFails() async throws {
        let transport = ScriptedTransport { request, _ in
            request.headerFields.contains(.authorization)
                ? Answer(.ok, body: "hello").failing(after: 3)
                : Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=R"])
        }
        let error = await #expect(throws: ConversationError.self) {
            try await Self.manager(.right, transport).get("https://example.com/")
        }
        #expect(error?.code == .bodyCut && error?.login == .accepted)
    }
}
