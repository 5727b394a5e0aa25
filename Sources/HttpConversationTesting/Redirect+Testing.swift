public import HTTPTypes
public import HttpConversation

extension Redirect {
    /// A redirect as filters get it.
    ///
    /// - Parameters:
    ///   - location: the value of the field, which may be relative or invalid
    ///   - source: the requested URL
    ///   - context: nil makes one for `source`
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidURL``
    public static func testing(
        to location: String, from source: String = "https://example.com/", _ status: HTTPResponse.Status = .found,
        method: HTTPRequest.Method = .get, in context: ConversationContext? = nil
    ) throws(ConversationError) -> Redirect {
        let source = try TargetURL(source)
        let head = HTTPResponse(status: status, headerFields: [.location: location])
        return Redirect(
            response: head, method: method, source: source, location: location,
            destination: try? Redirect.destination(of: head, from: source),
            context: try .testing(source.absoluteString, unless: context))
    }
}
