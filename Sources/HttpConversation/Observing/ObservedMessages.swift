public import HTTPTypes

/// A request as observers see it: everything is there, nothing prints but what may be shown.
public struct ObservedRequest: Sendable, Equatable {
    /// The method.
    public let method: HTTPRequest.Method
    /// The target; prints redacted.
    public let target: TargetURL
    /// The header fields as handed to the transport.
    public let headerFields: Redacted<HTTPFields>
    /// The value of `Host`, if it is not the target's.
    public let hostField: HostField?
    /// The number of bytes of the body; nil where there is none, or its length is known only when it is read.
    public let bodyLength: Int?

    /// Name and shown value of every field.
    public var shownFields: [(name: String, value: String)] { headerFields.value.shown }
}

/// A response as observers see it: everything is there, nothing prints but what may be shown.
public struct ObservedResponse: Sendable, Equatable {
    /// The status; its reason phrase is text from a peer.
    public let status: HTTPResponse.Status
    /// The header fields as received.
    public let headerFields: Redacted<HTTPFields>
    /// Whether the connection had served another exchange before.
    public let reusedConnection: Bool
    /// The version of HTTP that the exchange ran over; nil where the transport does not know.
    public let version: ProtocolVersion?
    /// The connection; nil where the transport does not know.
    public let connection: ConnectionReport?
    /// Why the transport sent the request again before this response came, for people; one reason each time.
    public let repetitions: [String]

    init(_ response: TransportResponse) { self.init(response.head, over: response) }

    /// - Parameter response: what the transport got; a filter may have put another head in its place
    init(_ head: HTTPResponse, over response: TransportResponse) {
        status = head.status
        headerFields = Redacted(head.headerFields)
        reusedConnection = response.reusedConnection
        version = response.version
        connection = response.connection
        repetitions = response.repetitions
    }

    /// Name and shown value of every field.
    public var shownFields: [(name: String, value: String)] { headerFields.value.shown }
}

extension HTTPFields {
    fileprivate var shown: [(name: String, value: String)] {
        map { (TerminalText.sanitise($0.name.rawName, limit: 80), FieldRedaction.shownValue(of: $0)) }
    }
}
