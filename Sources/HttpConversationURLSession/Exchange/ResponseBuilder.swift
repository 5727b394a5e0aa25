import Foundation
import HTTPTypes
import HttpConvFormats
import HttpConversation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Turns URLSession's response into the conversation's types.
struct ResponseBuilder {
    let request: OutgoingRequest
    let configuration: URLSessionTransport.Configuration

    func build(_ response: HTTPURLResponse, _ exchange: URLExchange) throws(ConversationError) -> TransportResponse {
        do throws(ConversationError) {
            return try checked(response, exchange)
        } catch {
            exchange.cancel()
            throw error
        }
    }

    private func checked(
        _ response: HTTPURLResponse, _ exchange: URLExchange
    ) throws(ConversationError) -> TransportResponse {
        guard (200..<1000).contains(response.statusCode) else { throw malformed("an impossible status code") }
        var head = HTTPResponse(status: .init(integerLiteral: response.statusCode))
        head.headerFields = try ResponseFields.read(response, request.origin)
        guard mayHaveBody(response) else {
            return TransportResponse(head: head, body: ResponseBody(exchange, expectedLength: 0))
        }
        let length = try self.length(head.headerFields)
        switch coding(head.headerFields) {
        case .none: return TransportResponse(head: head, body: ResponseBody(exchange, expectedLength: length))
        case .unknown:
            let body = UnknownCodingBody(exchange, from: request.peer)
            return TransportResponse(head: head, body: ResponseBody(body, expectedLength: length))
        case .undone: break
        }
        head.headerFields[.contentEncoding] = nil
        head.headerFields[.contentLength] = nil
        let body = ExpandedBody(exchange, length: length, configuration, peer: request.peer)
        return TransportResponse(head: head, body: ResponseBody(body, transferLength: length))
    }

    private func mayHaveBody(_ response: HTTPURLResponse) -> Bool {
        request.method != .head && response.statusCode != 204 && response.statusCode != 304
    }

    private func length(_ fields: HTTPFields) throws(ConversationError) -> Int? {
        guard fields.contains(.contentLength) else { return nil }
        guard let length = fields.announcedLength else {
            throw malformed("contradictory or invalid Content-Length")
        }
        guard !fields.contains(.transferEncoding) else { throw malformed("both Transfer-Encoding and Content-Length") }
        return length
    }

    private enum Coding { case none, undone, unknown }

    /// Whether URLSession has decoded the content codings, which it does for every request.
    private func coding(_ fields: HTTPFields) -> Coding {
        let names = (fields[.contentEncoding] ?? "").lowercased().split(ascii: ",").map { String($0.trimmingSpaces) }
        let coded = names.filter { $0 != "identity" && !$0.isEmpty }
        if coded.isEmpty { return .none }
        if coded.allSatisfy(Self.known.contains) { return .undone }
        return request.acceptsOtherCodings ? .none : .unknown
    }

    private static let known: Set<String> = ["gzip", "x-gzip", "deflate", "br"]

    private func malformed(_ what: String) -> ConversationError {
        ConversationError(.malformedResponse, "\(request.peer) sent an invalid HTTP response: \(what).")
    }
}
