import HttpConversation
import Synchronization

/// A body that URLSession has decompressed, limited by its size on the wire if that is known.
final class ExpandedBody: TransportBody, Sendable {
    private let source: URLExchange
    private let limit: Int
    private let peer: String
    private let count = Mutex(0)

    init(
        _ source: URLExchange, length: Int?, _ configuration: URLSessionTransport.Configuration, peer: String
    ) {
        self.source = source
        self.peer = peer
        let (product, overflows) = (length ?? .max).multipliedReportingOverflow(by: configuration.maximumExpansion)
        limit = overflows ? .max : max(configuration.expansionAllowance, product)
    }

    func next() async throws(ConversationError) -> [UInt8]? {
        guard let chunk = try await source.next() else { return nil }
        let isTooMuch = count.withLock { count in
            count += chunk.count
            return count > limit
        }
        guard isTooMuch else { return chunk }
        cancel()
        throw ConversationError(
            .contentCoding,
            "The compressed response of \(peer) expands to more than \(limit) bytes (maximumExpansion of the transport's configuration)."
        )
    }

    func cancel() { source.cancel() }
}
