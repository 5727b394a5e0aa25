import NIOCore
import NIOHTTP1

/// The requests of one connection as they arrive, with backpressure. One reader at a time: the connection, or the body
/// of its present request.
actor RequestParts {
    typealias Inbound = NIOAsyncChannelInboundStream<HTTPServerRequestPart>

    /// The connection ended within a request, or its bytes are not HTTP.
    struct Cut: Error {}

    private var iterator: Inbound.AsyncIterator?
    /// Whether the present request was read to its end.
    private(set) var isAtEnd = true
    private var pulling: Task<[UInt8]?, any Error>?
    private var isReading = false
    /// Waits for the reader's part.
    private var waiter: CheckedContinuation<Void, Never>?

    init(_ inbound: Inbound) { iterator = inbound.makeAsyncIterator() }

    /// The head of the next request; nil at the end of the connection.
    func head() async throws -> HTTPRequestHead? {
        switch try await next() {
        case .head(let head)?:
            isAtEnd = false
            return head
        case nil: return nil
        default: throw Cut()
        }
    }

    /// The next piece of the body; nil at its end.
    func chunk() async throws -> [UInt8]? {
        if isAtEnd { return nil }
        switch try await next() {
        case .body(let buffer)?: return Array(buffer.readableBytesView)
        case .end?:
            isAtEnd = true
            return nil
        default: throw Cut()
        }
    }

    /// The next bytes of the protocol that the connection has changed to; nil at its end. A reader that is cancelled
    /// leaves them to the next one.
    func bytes() async throws -> [UInt8]? {
        let task = pulling ?? Task { try await nextBytes() }
        pulling = task
        defer { pulling = nil }
        return try await task.value
    }

    private func nextBytes() async throws -> [UInt8]? {
        switch try await next() {
        case .body(let buffer)?: return Array(buffer.readableBytesView)
        case nil: return nil
        default: throw Cut()
        }
    }

    /// Drops everything up to the end of the connection, also after the body of a request that was answered early: its
    /// reader still waits for the next part. ``ConnectionGuard`` limits the time.
    func drain() async {
        while true {
            if isReading {
                await withCheckedContinuation { waiter = $0 }
            } else {
                guard let _ = try? await next() else { return }
            }
        }
    }

    private func next() async throws -> HTTPServerRequestPart? {
        guard var current = iterator else { throw Cut() }
        iterator = nil
        isReading = true
        defer {
            isReading = false
            waiter?.resume()
            waiter = nil
        }
        let part = try await current.next(isolation: self)
        iterator = current
        return part
    }
}
