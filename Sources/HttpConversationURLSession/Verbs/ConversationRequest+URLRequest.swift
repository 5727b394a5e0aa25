import HTTPTypes
public import HttpConversation

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension ConversationRequest {
    /// Converts and checks a Foundation request: method, URL, header fields and body.
    ///
    /// `httpBodyStream` can be read once: see
    /// ``/HttpConversation/RequestBody/oneShot(length:_:)-(_,RequestBodyStream)``. The caller has to apply the time
    /// limits, cookies and networks of the `URLRequest`.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidURL``,
    ///   ``/HttpConversation/ConversationError/Code/unsupportedScheme``,
    ///   ``/HttpConversation/ConversationError/Code/invalidRequest``
    public init(_ request: URLRequest) throws(ConversationError) {
        guard let url = request.url else {
            throw ConversationError(.invalidURL, "The URLRequest has no URL: there is no server to send it to.")
        }
        var fields = HTTPFields()
        // A dictionary has no stable order, so the fields are sorted.
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            fields.append(try HTTPField(checking: name, value))
        }
        let length = fields.announcedLength
        fields[.contentLength] = nil
        try self.init(
            method: HTTPRequest.Method(checking: request.httpMethod ?? "GET"), target: url, headerFields: fields,
            body: Self.body(of: request, length: length))
    }

    private static func body(of request: URLRequest, length: Int?) -> RequestBody? {
        if let data = request.httpBody { return .bytes(data) }
        guard let stream = request.httpBodyStream else { return nil }
        return .oneShot(length: length, InputStreamBody.stream(stream))
    }
}
