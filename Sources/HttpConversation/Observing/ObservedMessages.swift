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

    /// Name and shown value of every field.
    public var shownFields: [(name: String, value: String)] { headerFields.value.shown }
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
    /// The fields of the request, whose secrets the response may repeat.
    private let sent: Redacted<HTTPFields>

    init(_ response: TransportResponse) { self.init(response.head, over: response) }

    /// - Parameter response: the transport's response; a filter may have replaced its head
    init(_ head: HTTPResponse, over response: TransportResponse) {
        status = head.status
        headerFields = Redacted(head.headerFields)
        reusedConnection = response.reusedConnection
        version = response.version
        connection = response.connection
        repetitions = response.repetitions
        sent = response.sent ?? Redacted([:])
    }

    /// Name and shown value of every field, without the secrets of the request.
    public var shownFields: [(name: String, value: String)] {
        let known = KnownSecrets(sentIn: sent.value)
        return headerFields.value.shown.map { ($0.name, known.hidden(in: $0.value)) }
    }

    /// A text of the response without the secrets that the request's fields carried: passwords, tokens, cookies.
    public func hidingCredentials(in text: String) -> String { KnownSecrets.hidden(in: text, sentIn: sent.value) }
}

extension HTTPFields {
    fileprivate var shown: [(name: String, value: String)] {
        map { (TerminalText.sanitise($0.name.rawName, limit: 80), FieldRedaction.shownValue(of: $0)) }
    }
}
