import NIOCore

/// What one connection of HTTP/2 runs with; the defaults are what the transport uses.
struct HTTP2Limits: Sendable {
    /// What a stream may send before its reader has taken any of it: with all that belongs to a stream, a reader that
    /// stalls makes us hold 64 KiB at most.
    static let streamWindow = 56 << 10
    /// The connection's window to begin with (RFC 9113 §6.9.2).
    static let initialConnectionWindow = 65_535
    /// How much a reader takes before the server may send as much again.
    static let creditStep = 16 << 10
    /// What all streams may send together: enough for 292 that stall. Given back at once, so that they stall no others.
    static let connectionWindow = 16 << 20
    /// The most streams at a time, whatever the server allows.
    static let maximumStreams = 1000
    /// Window updates that cost a server nothing; beyond, it may send one for each 64 bytes of ours.
    static let freeWindowUpdates = 1000
    /// A server needs two: that it will go, and from which stream on.
    static let maximumGoAways = 100
    /// What a server may send, beside a head, that means nothing to us.
    static let meaninglessBytes = 1 << 20

    /// After so long without a byte of a server that owes us something, it is asked whether it lives.
    var livenessInterval = TimeAmount.seconds(15)
    /// How long it may take to answer that.
    var livenessTimeout = TimeAmount.seconds(10)
}
