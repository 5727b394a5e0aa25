public import HTTPTypes

/// A request as observers see it. It is complete, but its descriptions show only values that are not secret.
public struct ObservedRequest: Sendable, Equatable {
    /// The method.
    public let method: HTTPRequest.Method
    /// The target; prints redacted.
    public let target: TargetURL
    /// The header fields as handed to the transport.
    public let headerFields: Redacted<HTTPFields>
    /// The value of `Host`, if it is not the target's.
    public let hostField: HostField?
    /// The length of the body in bytes; nil without a body, or if its length is known only after reading it.
    public let bodyLength: Int?
    /// The fields that were sent up to this request, whose secrets a server may have put into its cookies; nil before
    /// the first exchange.
    let sent: SentFields?

    /// Name and shown value of every field, without the secrets that were sent.
    public var shownFields: [(name: String, value: String)] { headerFields.value.shown(hiding: sent) }

    /// A text of the request without the secrets that were sent up to it: passwords, tokens, cookies. A server chooses the
    /// names of its cookies.
    public func hidingCredentials(in text: String) -> String { sent?.hidden(in: text) ?? text }
}

/// A response as observers see it. It is complete, but its descriptions show only values that are not secret.
public struct ObservedResponse: Sendable, Equatable {
    /// The status; its reason phrase is text from a peer.
    public let status: HTTPResponse.Status
    /// The header fields as received.
    public let headerFields: Redacted<HTTPFields>
    /// Whether the connection had served another exchange before.
    public let reusedConnection: Bool
    /// The HTTP version of the exchange; nil if the transport does not know.
    public let version: ProtocolVersion?
    /// The connection; nil if the transport does not know.
    public let connection: ConnectionReport?
    /// The reasons, for people, why the transport repeated the request before this response; one for each repetition.
    public let repetitions: [String]
    /// The fields that were sent, whose secrets the response may repeat.
    private let sent: SentFields?

    /// Not an initializer, which would copy the response first.
    ///
    /// - Parameters:
    ///   - head: the response's, or that of a filter that replaces it
    ///   - status: the head's, which it would have to parse again
    ///   - response: the transport's response
    static func head(
        _ head: HTTPResponse, _ status: HTTPResponse.Status, over response: TransportResponse
    ) -> ObservedResponse {
        ObservedResponse(
            status: status, headerFields: Redacted(head.headerFields), reusedConnection: response.reusedConnection,
            version: response.version, connection: response.connection, repetitions: response.repetitions,
            sent: response.sent)
    }

    /// Name and shown value of every field, without the secrets of its conversation's requests.
    public var shownFields: [(name: String, value: String)] { headerFields.value.shown(hiding: sent) }

    /// A text of the response without the secrets that the fields of its conversation's requests carried: passwords,
    /// tokens, cookies.
    public func hidingCredentials(in text: String) -> String { sent?.hidden(in: text) ?? text }
}

extension HTTPFields {
    fileprivate func shown(hiding sent: SentFields?) -> [(name: String, value: String)] {
        let texts = flatMap { [TerminalText.sanitise($0.name.rawName, limit: 80), FieldRedaction.shownValue(of: $0)] }
        let shown = sent?.hidden(in: texts) ?? texts
        return stride(from: 0, to: shown.count, by: 2).map { (shown[$0], shown[$0 + 1]) }
    }
}
