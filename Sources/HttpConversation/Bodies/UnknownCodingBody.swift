/// A body with an unknown content coding that the request did not ask for.
///
/// Reading its first byte fails; an empty body ends normally. So redirects and challenges work, because the engine
/// needs only their heads.
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
