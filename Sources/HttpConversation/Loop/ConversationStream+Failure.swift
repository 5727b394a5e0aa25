extension ConversationStream {
    package func response(with bytes: [UInt8]) -> ConversationResponse {
        ConversationResponse(
            head: head, bytes: bytes, url: url, version: version, context: context, attempts: attempts, login: login)
    }

    /// The error for a download whose response is not a success. Nothing is written; the error carries the start of the
    /// page.
    ///
    /// - Parameter hint: a text to append to the message
    package func unsuccessful(_ hint: String = "") async -> ConversationError {
        let configuration = context.configuration
        // A page that never ends must not hold the error up.
        let limit = min(Self.maximumErrorBytes, configuration.maximumBodyBytes ?? .max)
        let start = try? await body.prefetch(
            upTo: limit, within: configuration.peekTimeout, clock: configuration.clock)
        let bytes = Array((start ?? []).prefix(limit))
        body.cancel()
        var text = "\(url.origin) answered with the status \(status.code), and nothing was written."
        for hint in [login.hint ?? "", hint] where !hint.isEmpty { text += " \(hint)" }
        return failure(.unsuccessfulStatus, text, with: bytes)
    }

    /// The maximum number of body bytes in such an error.
    private static var maximumErrorBytes: Int { 1 << 20 }

    /// Creates an error about the body, with the response.
    package func failure(
        _ code: ConversationError.Code, _ message: String, with bytes: [UInt8] = []
    ) -> ConversationError {
        var error = ConversationError(code, message).inConversation(of: self)
        error.response = response(with: bytes)
        return error
    }
}

extension ConversationError {
    /// A copy with this conversation's data.
    package func inConversation(of stream: ConversationStream) -> ConversationError {
        with(id: stream.id, attempts: stream.attempts, login: stream.login)
    }
}
