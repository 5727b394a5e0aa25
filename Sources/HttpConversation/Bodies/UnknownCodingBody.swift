/// A body with a content coding that nobody asked for and that is not known.
///
/// Reading its first byte fails, and an empty one ends well: a redirect or challenge is understood without its body.
package final class UnknownCodingBody: TransportBody {
    private let source: any TransportBody
    private let peer: String

    /// - Parameter peer: the server's name in the error
    package init(_ source: any TransportBody, from peer: String) {
        self.source = source
        self.peer = peer
    }

    package var hasArrived: Bool { source.hasArrived }

    package func next() async throws(ConversationError) -> [UInt8]? {
        while let chunk = try await source.next() {
            if chunk.isEmpty { continue }
            cancel()
            throw ConversationError(
                .contentCoding,
                "\(peer) answered with a Content-Encoding that was not asked for and is not known: ask for it with Accept-Encoding to get the bytes as they are."
            )
        }
        return nil
    }

    package func cancel() { source.cancel() }
}
