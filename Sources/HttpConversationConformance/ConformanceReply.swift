public import HTTPTypes

/// A response that a case gives, whatever wire it goes over.
public struct ConformanceReply: Sendable {
    /// How its body ends.
    public enum Ending: Hashable, Sendable {
        /// Where it should.
        case whole
        /// Before its announced end.
        case cut
        /// Never: it is announced, and does not come.
        case open
    }

    /// The status.
    public var status: HTTPResponse.Status
    /// Its fields, without framing.
    public var fields: HTTPFields
    /// Its body, in the pieces that it is sent in.
    public var pieces: [[UInt8]]
    /// Whether its length is announced.
    public var announcesLength = true
    /// How its body ends.
    public var ending = Ending.whole

    init(
        _ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:], pieces: [[UInt8]] = [], ending: Ending = .whole
    ) {
        self.status = status
        self.fields = fields
        self.pieces = pieces
        self.ending = ending
    }

    init(_ status: HTTPResponse.Status = .ok, _ fields: HTTPFields = [:], _ text: String) {
        self.init(status, fields, pieces: text.isEmpty ? [] : [Array(text.utf8)])
    }

    /// The bytes of the body that are sent.
    var count: Int { pieces.reduce(0) { $0 + $1.count } }
}
