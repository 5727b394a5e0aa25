import HTTPTypes
import HttpConversation
import NIOCore

/// The negotiation with a proxy until it tunnels bytes to the server. Does no I/O.
protocol TunnelNegotiation: Sendable {
    /// The first bytes to send.
    func opening() -> [UInt8]

    /// Handles the bytes that have arrived.
    ///
    /// - Parameter buffer: the bytes; those that were used are consumed
    /// - Throws: an error that names the proxy's answer
    mutating func received(_ buffer: inout ByteBuffer) throws(ConversationError) -> TunnelStep
}

/// The next step of a negotiation.
enum TunnelStep: Equatable {
    /// More bytes have to arrive.
    case more
    /// These bytes have to be sent to the proxy.
    case send([UInt8])
    /// The tunnel is open: the next bytes are the server's.
    case established(HTTPResponse?)
}

/// A proxy's own answer to `CONNECT`, instead of a tunnel.
struct TunnelAnswer: Error {
    let head: HTTPResponse
    let version: ProtocolVersion
}
