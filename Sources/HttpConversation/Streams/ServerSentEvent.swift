/// One event of an event stream (WHATWG HTML, "Server-sent events").
public struct ServerSentEvent: Hashable, Sendable {
    /// What kind of event it is; `message` unless the server says otherwise.
    public let type: String
    /// What it says; several lines are joined by LF.
    public let data: String
    /// The id of the last event that had one: sent as `Last-Event-ID` to go on after it. Empty where none had.
    public let lastEventID: String
    /// How long to wait before connecting anew, where the server has said so.
    public let retry: Duration?

    /// An event, such as for a test.
    public init(type: String = "message", data: String, lastEventID: String = "", retry: Duration? = nil) {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
        self.retry = retry
    }
}
