import HttpC

/// A request that was admitted, as it goes to the target.
struct RelayedRequest: Sendable {
    /// The body as the client announces it.
    enum Body: Equatable, Sendable {
        case none
        case length(Int)
        case chunked
        /// The request asks for a WebSocket: the bytes of that protocol, once the target has agreed (RFC 6455).
        case webSocket
    }

    let request: HTTPRequest
    let url: TargetURL
    let body: Body
    /// The prefix of local paths in answers: the secret's segment if the request had it, else empty.
    let base: String
    /// Whether the client waits for `100 Continue`.
    let expectsContinue: Bool
    /// Whether the client gets the bytes as they are stored, with the content codings that the relay could undo: it asks
    /// for none, or for a packed file.
    let wantsCodings: Bool

    /// Whether repeating the request changes nothing (RFC 9110 §9.2.1).
    var isSafe: Bool { [.get, .head, .options].contains(request.method) }

    /// The request for the whole resource, if the answer to a range has content codings that the relay undoes in whole
    /// answers: the client's range counts decoded bytes, and the target's counts coded ones (RFC 9110 §14.2). Nil for
    /// other answers.
    func whole(insteadOf answer: ConversationStream) -> HTTPRequest? {
        guard request.method == .get, request.headerFields.contains(.range), !wantsCodings,
            [200, 206].contains(answer.status.code), RelayFields.areUndone(answer.headerFields)
        else { return nil }
        var whole = request
        for name in [HTTPField.Name.range, .ifRange, .acceptEncoding] { whole.headerFields[name] = nil }
        return whole
    }
}
