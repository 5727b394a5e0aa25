import NIOCore

/// The limits of one HTTP/2 connection. The transport uses the defaults.
struct HTTP2Limits: Sendable {
    /// The bytes that a server may send on a stream before its reader has taken any. With all else that belongs to a
    /// stream, a stalled reader makes us hold at most 64 KiB.
    static let streamWindow = 56 << 10
    /// The largest window of a stream, in bytes. Windows grow while their readers keep up, as far as ``windowBudget``
    /// goes.
    static let largestStreamWindow = 4 << 20
    /// The connection's initial window (RFC 9113 §6.9.2).
    static let initialConnectionWindow = 65_535
    /// The bytes that a reader takes before the server may send as many again.
    static let creditStep = 16 << 10
    /// The bytes that all streams may send together: enough for 292 stalled ones. Credit is returned at once, so that
    /// stalled streams block no others.
    static let connectionWindow = 16 << 20
    /// The maximum number of concurrent streams, even if the server allows more.
    static let maximumStreams = 1000
    /// The number of window updates that a server may always send. Beyond it, two more are allowed for each piece of a
    /// body (one for the stream, one for the connection), and one for each 64 bytes.
    static let freeWindowUpdates = 1000
    /// The largest table of fields of requests that is used, in bytes (RFC 7541 §4.2). The codec makes a table as large
    /// as the server wants it, and searches all of it for each field.
    static let headerTable = 64 << 10
    /// The maximum number of GOAWAY frames. A server needs two: an announcement, and the last stream that it processes.
    static let maximumGoAways = 100
    /// The maximum number of meaningless bytes that a server may send, in addition to a head and the content of streams
    /// that we reset.
    static let meaninglessBytes = 1 << 20
    /// The maximum number of DATA frames in a row on a stream that have no content and do not end it.
    static let maximumEmptyFrames = 10

    /// The silence of a server that owes us something, after which we send a ping.
    var livenessInterval = TimeAmount.seconds(15)
    /// The time that the server has to answer the ping, after the last bytes of ours that left.
    var livenessTimeout = TimeAmount.seconds(10)
    /// The bytes for windows that have grown.
    var windowBudget = HTTP2WindowBudget.shared
}
