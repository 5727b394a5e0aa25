/// A transport's source of body chunks. One consumer, one call at a time.
public protocol TransportBody: AnyObject, Sendable {
    /// The next chunk, or nil at the end; suspends until there is one.
    func next() async throws(ConversationError) -> [UInt8]?
    /// Whether everything up to the end has arrived, so that ``next()`` never suspends. A filter then reads the body
    /// without a timeout, because arming one costs more than the reading. Default: false.
    var hasArrived: Bool { get }
    /// Ends the exchange; harmless after the end.
    func cancel()
}

extension TransportBody {
    public var hasArrived: Bool { false }
}

/// A body that differs from its bytes on the wire, and can limit those.
package protocol BoundedTransportBody: TransportBody {
    /// Limits the bytes on the wire from now on: more throw ``ConversationError/Code/tooLarge``.
    func bound(transferTo count: Int)
}
