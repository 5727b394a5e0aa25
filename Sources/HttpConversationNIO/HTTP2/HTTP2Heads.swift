import HTTPTypes
import HttpConvFormats
import NIOHPACK
import NIOHTTP1

/// Conversion of heads to and from HTTP/2's form (RFC 9113 §8.3).
enum HTTP2Heads {
    /// Converts a response's head. The codec has checked all but the status and characters of names.
    ///
    /// - Returns: the head, and its size as RFC 9113 §6.5.2 counts it
    static func response(
        _ headers: HPACKHeaders
    ) throws(ExchangeProgress.Refusal) -> (head: ResponseHead, size: Int) {
        var fields = HTTPFields()
        fields.reserveCapacity(headers.count)
        var status: Int?
        var size = 0
        for (name, value, _) in headers {
            size += name.utf8.count + value.utf8.count + 32
            if name.utf8.first == UInt8(ascii: ":") {
                if name == ":status" { status = PeerNumber.integer(value, in: 100...999) }
            } else {
                guard fields.count < ResponseHeadReader.maximumFields else { throw .head(.tooLarge) }
                guard let name = HTTPField.Name(name) else { throw .head(.invalidField) }
                fields.append(HTTPField(name: name, value: value))
            }
        }
        guard let status else { throw .invalidStatus }
        // HTTP/2 has no reason phrases.
        let reason = HTTPResponseStatus(statusCode: status).reasonPhrase
        return (
            ResponseHead(status: .init(code: status, reasonPhrase: reason), fields: fields, version: .http2), size
        )
    }

    /// Converts a request's head: names in lower case, the host as a pseudo-header field.
    ///
    /// - Parameter isIndexing: whether fields may be put into the compression's table
    static func request(_ request: WireRequest, isIndexing: Bool) -> HPACKHeaders {
        let head = request.head
        var headers = HPACKHeaders()
        headers.reserveCapacity(head.fields.count + 3)
        headers.add(name: ":method", value: head.method.rawValue)
        headers.add(name: ":scheme", value: request.origin.scheme.rawValue)
        headers.add(
            name: ":authority", value: request.hostField?.value ?? request.origin.authority,
            indexing: isIndexing ? .indexable : .nonIndexable)
        headers.add(name: ":path", value: head.target, indexing: .nonIndexable)
        for (name, value) in head.fields {
            let name = name.lowercased()
            if name == "host" || name == "transfer-encoding" { continue }
            headers.add(name: name, value: value, indexing: indexing(name, value, isIndexing))
        }
        return headers
    }

    /// Keeps secrets that could be guessed piece by piece out of the compression's table (RFC 7541 §7.1.3).
    private static func indexing(_ name: String, _ value: String, _ isIndexing: Bool) -> HPACKIndexing {
        switch name {
        case "authorization", "proxy-authorization": .neverIndexed
        case "cookie" where value.utf8.count < 20: .neverIndexed
        default: isIndexing ? .indexable : .nonIndexable
        }
    }
}
