import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

/// The flow of the article `LoginOfYourOwn.md`, with public declarations only: `LoginOfYourOwn.swift` has its text.
@Suite(.timeLimit(.minutes(1))) struct LoginOfYourOwnTests {
    private typealias Answer = ScriptedTransport.Answer
    private typealias Account = PortalLogin.Account

    private static let page = "http://portal.example/login"

    /// A portal that knows one account, and a manager that logs in there.
    private static func portal(
        ask: @escaping @Sendable () async throws -> PortalLogin.Account
    ) throws -> (transport: ScriptedTransport, manager: HttpConversationManager) {
        let transport = ScriptedTransport { request, _ in
            if request.target.absoluteString == page {
                let knows = account(in: request).map { $0.name == "alice" && $0.password == "secret" }
                return knows == true ? Answer(.ok, [.setCookie: "session=1; Path=/"]) : Answer(.forbidden)
            }
            // swift-format-ignore: NeverForceUnwrap
            return request.headerFields[.cookie] == "session=1"
                ? Answer(.ok, body: "welcome")
                : Answer(.ok, [HTTPField.Name("X-Login")!: "required"], body: "who are you?")
        }
        let manager = HttpConversationManager(transport: transport)
        let target = try TargetURL(page)
        manager.update { $0.logInToPortal(at: target, ask: ask) }
        return (transport, manager)
    }

    private static func account(in request: TransportRequest) -> Account? {
        guard case .bytes(let bytes) = request.body?.kind else { return nil }
        return try? JSONDecoder().decode(Account.self, from: Data(bytes))
    }

    @Test func logsInOnceForAll() async throws {
        let asked = Box(0)
        let (transport, manager) = try Self.portal {
            asked.update { $0 += 1 }
            return Account(name: "alice", password: "secret")
        }
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await manager.data(for: HTTPRequest(.get, "http://portal.example/private")).text
                }
            }
            for try await text in group { #expect(text == "welcome") }
        }
        #expect(asked.value == 1)
        #expect(transport.requests.count { $0.target.absoluteString == Self.page } == 1)
    }

    @Test func aWrongPasswordIsAnError() async throws {
        let (_, manager) = try Self.portal { Account(name: "alice", password: "guessed") }
        let code = await failureCode { try await manager.data(for: HTTPRequest(.get, "http://portal.example/private")) }
        #expect(code == .authenticationFailed)
    }

    @Test func aForeignOriginGetsNoCredential() async throws {
        let asked = Box(0)
        let (transport, manager) = try Self.portal {
            asked.update { $0 += 1 }
            return Account(name: "alice", password: "secret")
        }
        let response = try await manager.data(for: HTTPRequest(.get, "http://other.example/"))
        #expect(response.text == "who are you?")
        #expect(asked.value == 0)
        #expect(transport.requests.count == 1)
    }

    @Test func theCodeOfTheGuideIsUpToDateAndShort() throws {
        let here = URL(filePath: #filePath)
        let root = (0..<4).reduce(here) { url, _ in url.deletingLastPathComponent() }
        let guide = try String(
            contentsOf: root.appending(path: "Sources/HttpConversation/HttpConversation.docc/LoginOfYourOwn.md"),
            encoding: .utf8)
        let code = try String(
            contentsOf: here.deletingLastPathComponent().appending(path: "LoginOfYourOwn.swift"), encoding: .utf8)
        #expect(guide.contains("```swift\n\(code)```\n"))
        #expect(code.split(separator: "\n", omittingEmptySubsequences: false).count <= 60)
    }
}
