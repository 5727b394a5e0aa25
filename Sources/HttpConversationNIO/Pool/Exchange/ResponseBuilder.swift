import HTTPTypes
import HttpConversation
import Synchronization

/// Turns a response from the wire into the conversation's types: fields, content codings, body.
struct ResponseBuilder {
    let request: WireRequest
    let expansionLimit: ExpansionLimit

    func build(
        _ head: ResponseHead, _ whole: [UInt8]?, _ exchange: TransportExchange
    ) throws(ConversationError) -> TransportResponse {
        var response = head.response
        let (isReused, version) = (exchange.isReused, head.version)
        let isUpgraded = head.status == .switchingProtocols
        if request.decompresses, response.headerFields.has(.contentEncoding), mayHaveBody(head), !isUpgraded {
            if let body = try decompressed(&response, whole, exchange) {
                return TransportResponse(head: response, body: body, reusedConnection: isReused, version: version)
            }
        }
        if let whole {
            return TransportResponse(
                head: response, body: ResponseBody(bytes: whole), reusedConnection: isReused, version: version)
        }
        let length = isUpgraded ? nil : mayHaveBody(head) ? response.headerFields.announcedLength : 0
        return TransportResponse(
            head: response, body: ResponseBody(exchange, expectedLength: length), reusedConnection: isReused,
            version: version)
    }

    private func mayHaveBody(_ head: ResponseHead) -> Bool {
        head.mayHaveContent(isHead: request.head.method == .head)
    }

    /// Decodes the body. Returns nil if the body is to be delivered unchanged.
    private func decompressed(
        _ response: inout HTTPResponse, _ whole: [UInt8]?, _ exchange: TransportExchange
    ) throws(ConversationError) -> ResponseBody? {
        switch ContentCoding.list(response.headerFields) {
        case .known([]): return nil
        case .known(let codings): return undo(codings, of: &response, whole, exchange)
        case .unknown where request.acceptsOtherCodings: return nil
        case .unknown:
            let peer = TransportFailure.name(request.origin)
            let length = whole?.count ?? response.headerFields.announcedLength
            let body = UnknownCodingBody(whole.map { WholeBody($0) } ?? exchange, from: peer)
            return ResponseBody(body, expectedLength: length)
        case .tooMany:
            exchange.cancel()
            throw ConversationError(
                .contentCoding,
                "\(TransportFailure.name(request.origin)) answered with more than \(ContentCoding.maximumCount) content codings, which is refused."
            )
        }
    }

    private func undo(
        _ codings: [ContentCoding], of response: inout HTTPResponse, _ whole: [UInt8]?, _ exchange: TransportExchange
    ) -> ResponseBody {
        let account = ExpansionAccount(expansionLimit)
        var body: any TransportBody = whole.map { WholeBody($0) } ?? exchange
        for (index, coding) in codings.reversed().enumerated() {
            body = DecompressedBody(body, coding, account, readsWire: index == 0)
        }
        let length = whole?.count ?? response.headerFields.announcedLength
        response.headerFields[.contentEncoding] = nil
        response.headerFields[.contentLength] = nil
        return ResponseBody(body, transferLength: length)
    }
}

/// A body that arrived together with its head.
private final class WholeBody: TransportBody, Sendable {
    private let bytes: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

    var hasArrived: Bool { true }

    func next() async throws(ConversationError) -> [UInt8]? {
        let rest = bytes.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
        return rest.isEmpty ? nil : rest
    }

    func cancel() { bytes.withLock { $0 = [] } }
}
