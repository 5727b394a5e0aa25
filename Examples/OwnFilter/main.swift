// A filter of your own, used twice. Each has two roles.
import HttpC

let server = CommandLine.arguments[1]  // such as https://example.com

/// Sends a key to one server and logs the status.
struct APIKey: RequestFilter, ResponseFilter {
    let name: HTTPField.Name
    let key: String
    let origin: Origin

    init(_ name: String, _ key: String, for url: some TargetURLConvertible) throws {
        self.name = try HTTPField(checking: name, key).name
        self.key = key
        origin = try url.targetURL().origin
    }

    func authorize(_ request: inout ConversationRequest, in context: ConversationContext) {
        if request.target.origin == origin { request.headerFields[name] = key }
    }

    func inspect(_ response: ReceivedResponse, in context: ConversationContext) -> ResponseVerdict {
        context.logger.notice("\(name): \(response.status)")
        return .proceed
    }
}

let manager = HttpConversationManager()
let filters = [try APIKey("X-Key", "k-1", for: server), try APIKey("X-Other-Key", "k-2", for: server)]
manager.update { configuration in for filter in filters { configuration.add(filter) } }
print(try await manager.get("\(server)/echo").text)
