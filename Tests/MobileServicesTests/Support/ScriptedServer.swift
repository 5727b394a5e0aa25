import HTTPTypes
import HttpConversation
import HttpConversationTesting
import MobileServices

/// A mobile server whose answers are scripted by a test.
struct ScriptedServer {
    static let root = "https://mobile.example.com/"
    let transport: ScriptedTransport
    let manager: HttpConversationManager
    var client: RegistrationClient

    init(
        _ script:
            @escaping @Sendable (TransportRequest, Int) async throws(ConversationError) -> ScriptedTransport.Answer
    ) throws {
        transport = ScriptedTransport(script)
        manager = HttpConversationManager(transport: transport)
        client = RegistrationClient(manager, try MobileApplication(at: Self.root, id: "com.example.app"))
    }

    /// A server that always gives the same answer.
    init(_ status: HTTPResponse.Status = .created, type: String?, _ body: String) throws {
        var fields: HTTPFields = [:]
        fields[.contentType] = type
        let answer = ScriptedTransport.Answer(status, fields, body: body)
        try self.init { _, _ in answer }
    }

    var sent: [String] { transport.requests.map { "\($0.method) \($0.target.path)" } }

    func field(_ name: String) -> [String?] {
        transport.requests.map { request in HTTPField.Name(name).flatMap { request.headerFields[$0] } }
    }

    static func entity(_ members: String) -> String { #"{"d":{"ApplicationConnectionId":"c1"\#(members)}}"# }
}
