import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct PreflightTests {
    private struct ByHead: ResponseFilter {
        var inspectsBodies: Bool { false }
        func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
            response.status == .forbidden ? .restart(reason: "logged in") : .proceed
        }
    }

    private struct ByBody: ResponseFilter {
        func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
            let page = try await response.peek(upTo: 100)
            return page == Array("log in".utf8) ? .restart(reason: "logged in") : .proceed
        }
    }

    @Test(
        arguments: [
            (false, [.ok], "HEAD"), (false, [.forbidden, .ok], "HEAD HEAD"),
            (false, [.methodNotAllowed, .ok], "HEAD GET"),
            (false, [.notImplemented, .ok], "HEAD GET"), (false, [.notFound], "HEAD"), (true, [.ok], "GET"),
        ] as [(Bool, [HTTPResponse.Status], String)])
    func methods(readsBodies: Bool, answers: [HTTPResponse.Status], methods: String) async throws {
        let transport = ScriptedTransport { _, index in .init(answers[index], body: "page") }
        var configuration = HttpConversationManager.Configuration()
        configuration.add(ByHead())
        if readsBodies { configuration.add(ByBody()) }
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        let response = try await manager.preflight("https://example.com/inbox")
        #expect(transport.requests.map(\.method.rawValue).joined(separator: " ") == methods)
        #expect(response.status == answers.last && response.bytes.isEmpty)
    }

    /// A one-shot body could not survive this login.
    @Test func aLoginAheadOfAnUpload() async throws {
        let transport = ScriptedTransport { request, index in
            .init(.ok, body: index == 0 ? "log in" : "\(request.method)")
        }
        let manager = testManager(transport) { $0.add(ByBody()) }
        try await manager.preflight("https://example.com/inbox")
        let body = RequestBody.oneShot(RequestBodyStream { nil })
        _ = try await manager.upload(for: HTTPRequest(.put, "https://example.com/inbox"), from: body)
        #expect(transport.requests.map(\.method.rawValue) == ["GET", "GET", "PUT"])
    }
}
