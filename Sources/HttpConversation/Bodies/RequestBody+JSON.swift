public import HttpConvPlatform

extension RequestBody {
    /// A value as JSON (RFC 8259), with `Content-Type: application/json` unless the request has one.
    ///
    /// - Parameters:
    ///   - value: the value to encode
    ///   - encoder: such as one with another strategy for dates
    /// - Throws: ``ConversationError/Code/invalidRequest`` if the value cannot be encoded; the message names the place
    ///   in it
    public static func json(
        _ value: some Encodable, encoder: JSONEncoder = JSONEncoder()
    ) throws(ConversationError) -> RequestBody {
        do { return RequestBody(.bytes(Array(try encoder.encode(value))), contentType: "application/json") } catch {
            let place = (error as? EncodingError).map { JSONPlace($0) }
            throw ConversationError(
                .invalidRequest,
                "\(type(of: value)) cannot be encoded as JSON\(place?.text ?? ""): nothing was sent.")
        }
    }
}
