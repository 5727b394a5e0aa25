import HTTPTypes
public import HttpConversation

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension HTTPURLResponse {
    /// The conversation that a response of a manager's verb belongs to; nil for any other response.
    public var conversation: ConversationContext? { (self as? ResponseOfConversation)?.context }

    /// Converts the head of a response to Foundation's type. Fields of one name become one text, separated by commas.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/malformedResponse`` if Foundation cannot express it
    static func make(
        _ head: HTTPResponse, _ url: TargetURL, _ version: ProtocolVersion?, in context: ConversationContext
    ) throws(ConversationError) -> HTTPURLResponse {
        var fields: [String: String] = [:]
        for field in head.headerFields {
            let name = field.name.rawName
            fields[name] = fields[name].map { "\($0), \(field.value)" } ?? field.value
        }
        guard
            let response = ResponseOfConversation(
                url.foundationURL, head.status.code, version?.description, fields, context)
        else {
            throw ConversationError(
                .malformedResponse, "The response from \(url.origin) cannot be made an HTTPURLResponse.")
        }
        return response
    }
}

/// A response that knows its conversation. Sendable like its superclass, which does not change after its initialiser:
/// the only property is a constant of a type that is sendable.
private final class ResponseOfConversation: HTTPURLResponse, @unchecked Sendable {
    let context: ConversationContext

    init?(_ url: URL, _ status: Int, _ version: String?, _ fields: [String: String], _ context: ConversationContext) {
        self.context = context
        super.init(url: url, statusCode: status, httpVersion: version, headerFields: fields)
    }

    /// A copy from an archive has no conversation.
    required init?(coder: NSCoder) { nil }
}
