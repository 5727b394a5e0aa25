public import HTTPTypes

/// The response of a case, for any wire.
public struct ConformanceReply: Sendable {
    /// The way its body ends.
    public enum Ending: Hashable, Sendable {
        /// The body ends as announced.
        case whole
        /// The body ends before its announced end.
        case cut
        /// The body is announced and never arrives.
        case open
    }

    /// The status.
    public var status: HTTPResponse.Status
    /// Its fields, without framing.
    public var fields: HTTPFields
    /// The body, in the pieces in which it is sent.
    public var pieces: [[UInt8]]
    /// Whether its length is announced.
    public var announcesLength = true
    /// The way its body ends.
    public var ending = Ending.whole

    init(
        _ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:], pieces: [[UInt8]] = [], ending: Ending = .whole
    ) {
        self.status = status
        self.fields = fields
        self.pieces = pieces
        self.ending = ending
    }

    init(_ status: HTTPResponse.Status, _ fields: HTTPFields, _ text: String) {
        self.init(status, fields, pieces: text.isEmpty ? [] : [Array(text.utf8)])
    }

    /// The number of body bytes that are sent.
    var count: Int { pieces.reduce(0) { $0 + $1.count } }
}
