/// One event of an event stream (WHATWG HTML, "Server-sent events").
public struct ServerSentEvent: Hashable, Sendable {
    /// The kind of event; `message` by default.
    public let type: String
    /// The event's data; several lines are joined by LF.
    public let data: String
    /// The id of the last event that had one, to be sent as `Last-Event-ID` when resuming. Empty without one.
    public let lastEventID: String
    /// The server's pause before reconnecting, if it has sent one.
    public let retry: Duration?

    /// Creates an event, such as for a test.
    public init(type: String = "message", data: String, lastEventID: String = "", retry: Duration? = nil) {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
        self.retry = retry
    }
}
