import HTTPTypes
public import HttpConvPlatform

extension ConversationResponse {
    /// Returns the response if its status is a success (2xx, RFC 9110 §15.3).
    ///
    /// - Throws: ``ConversationError/Code/unsuccessfulStatus`` with the ``ConversationError/response``
    public func successful() throws(ConversationError) -> ConversationResponse {
        guard status.kind == .successful else {
            let hint = login.hint.map { " \($0)" } ?? ""
            throw failure(.unsuccessfulStatus, "\(url) answered with the status \(status.code).\(hint)")
        }
        return self
    }

    /// Decodes the body from JSON (RFC 8259). Does not check the status: see ``successful()``.
    ///
    /// ```swift
    /// let order: Order = try response.decoded()
    /// ```
    ///
    /// - Parameters:
    ///   - type: the type of the value
    ///   - decoder: such as one with another strategy for dates
    /// - Throws: ``ConversationError/Code/bodyNotDecodable`` with the ``ConversationError/response``; the message names
    ///   the place and the expectation, without quoting the body
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) throws(ConversationError) -> Value {
        guard !bytes.isEmpty else {
            throw failure(.bodyNotDecodable, "The body of the response from \(url) is empty: it is not a \(type).")
        }
        do { return try decoder.decode(type, from: data) } catch {
            throw failure(
                .bodyNotDecodable, "The body of the response from \(url) is not a \(type): \(Self.reason(for: error)).")
        }
    }

    private static func reason(for error: any Error) -> String {
        switch error {
        case DecodingError.typeMismatch(let expected, let context):
            "\(expected) was expected\(JSONPlace(context.codingPath).text)"
        case DecodingError.valueNotFound(let expected, let context):
            "there is null instead of \(expected)\(JSONPlace(context.codingPath).text)"
        case DecodingError.keyNotFound(let key, let context):
            "\(JSONPlace.name(of: key)) is missing\(JSONPlace(context.codingPath).text)"
        case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
            "it is not valid JSON"
        case DecodingError.dataCorrupted(let context):
            "the value cannot be used\(JSONPlace(context.codingPath).text)"
        default:
            "the type refuses it"
        }
    }

    /// The underlying error is left out: a decoder's error quotes the body.
    private func failure(_ code: ConversationError.Code, _ message: String) -> ConversationError {
        var error = ConversationError(code, message).with(id: id, attempts: attempts, login: login)
        error.response = self
        return error
    }
}
