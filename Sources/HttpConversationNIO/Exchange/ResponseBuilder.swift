import HTTPTypes
import HttpConversation
import NIOHTTP1

/// From what arrived to what the conversation sees: field types, content codings, body.
struct ResponseBuilder {
    let plan: RequestPlan
    let maximumExpansion: Int

    func build(
        _ head: HTTPResponseHead, _ whole: [UInt8]?, _ exchange: Exchange
    ) throws(ConversationError) -> TransportResponse {
        var response = HTTPResponse(
            status: .init(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase),
            headerFields: try fields(head, exchange))
        let isReused = exchange.isReused
        if plan.decompresses, response.headerFields.contains(.contentEncoding), mayHaveBody(head) {
            if let body = try decompressed(&response, whole, exchange) {
                return TransportResponse(head: response, body: body, reusedConnection: isReused)
            }
        }
        if let whole {
            return TransportResponse(head: response, body: ResponseBody(bytes: whole), reusedConnection: isReused)
        }
        let length = mayHaveBody(head) ? response.headerFields[.contentLength].flatMap { Int($0) } : 0
        return TransportResponse(
            head: response, body: ResponseBody(exchange, expectedLength: length), reusedConnection: isReused)
    }

    private func mayHaveBody(_ head: HTTPResponseHead) -> Bool {
        plan.head.method != .HEAD && head.status != .noContent && head.status != .notModified
    }

    private func fields(_ head: HTTPResponseHead, _ exchange: Exchange) throws(ConversationError) -> HTTPFields {
        var fields = HTTPFields()
        fields.reserveCapacity(head.headers.count)
        for (name, value) in head.headers {
            guard let name = HTTPField.Name(name) else {
                exchange.cancel()
                throw ConversationError(
                    .malformedResponse,
                    "The answer of \(TransportFailure.name(plan.origin)) has a header field with an invalid name.")
            }
            fields.append(HTTPField(name: name, value: value))
        }
        return fields
    }

    /// Nil where the body is to be delivered as it came.
    private func decompressed(
        _ response: inout HTTPResponse, _ whole: [UInt8]?, _ exchange: Exchange
    ) throws(ConversationError) -> ResponseBody? {
        guard let codings = ContentCoding.list(response.headerFields) else {
            if plan.acceptsOtherCodings { return nil }
            exchange.cancel()
            throw ConversationError(
                .contentCoding,
                "\(TransportFailure.name(plan.origin)) answered with a Content-Encoding that was not asked for and is not known: ask for it with Accept-Encoding to get the bytes as they are."
            )
        }
        guard !codings.isEmpty else { return nil }
        var body: any TransportBody = whole.map { WholeBody($0) } ?? exchange
        for coding in codings.reversed() {
            body = DecompressedBody(body, coding, maximumExpansion: maximumExpansion)
        }
        response.headerFields[.contentEncoding] = nil
        response.headerFields[.contentLength] = nil
        return ResponseBody(body)
    }
}
