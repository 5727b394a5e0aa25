import HTTPTypes
import HttpConversation
import NIOCore

/// What is said to a proxy until it passes bytes on to the server. Does no I/O.
protocol TunnelNegotiation: Sendable {
    /// What goes out first.
    func opening() -> [UInt8]

    /// Takes what has arrived.
    ///
    /// - Parameter buffer: read as far as it was used
    /// - Throws: what the proxy said instead, as an error that names it
    mutating func received(_ buffer: inout ByteBuffer) throws(ConversationError) -> TunnelStep
}

/// How a negotiation goes on.
enum TunnelStep: Equatable {
    /// There is more to come.
    case more
    /// The proxy is told something.
    case send([UInt8])
    /// From here on it is the server that speaks.
    case established(HTTPResponse?)
}

/// A proxy's own answer to `CONNECT`: not the server's, and no tunnel.
struct TunnelAnswer: Error {
    let head: HTTPResponse
    let version: ProtocolVersion
}
