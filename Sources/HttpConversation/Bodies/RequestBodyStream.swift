import Synchronization

/// An opened request body: chunks are pulled as the connection can take them.
public struct RequestBodyStream: Sendable {
    private let nextChunk: @Sendable () async throws -> [UInt8]?

    /// A stream from a function that yields the next chunk, or nil at the end. Called by one task at a time.
    public init(_ next: @escaping @Sendable () async throws -> [UInt8]?) { nextChunk = next }

    /// A stream over any sequence of byte chunks.
    public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == [UInt8] {
        let cursor = Cursor(chunks)
        nextChunk = { try await cursor.next() }
    }

    /// The next chunk, or nil at the end.
    public func next() async throws -> [UInt8]? { try await nextChunk() }
}

/// Keeps an iterator between calls. An actor's reentrancy cannot interleave two `next`: the transport pulls one by one.
private actor Cursor<Chunks: AsyncSequence & Sendable> where Chunks.Element == [UInt8] {
    private var iterator: Chunks.AsyncIterator?

    init(_ chunks: Chunks) { iterator = chunks.makeAsyncIterator() }

    func next() async throws -> [UInt8]? {
        guard var current = iterator else { return nil }
        iterator = nil
        let chunk = try await current.next(isolation: self)
        if chunk != nil { iterator = current }
        return chunk
    }
}

/// A stream that can be read once, and knows whether it was.
public final class OneShotBody: Sendable {
    /// The number of bytes; nil where unknown.
    public let length: Int?
    private let stream: RequestBodyStream
    private let used = Atomic<Bool>(false)

    init(length: Int?, stream: RequestBodyStream) {
        self.length = length
        self.stream = stream
    }

    /// Whether a first chunk was asked for. A body that only waited for `100 Continue` is still unused.
    public var isUsed: Bool { used.load(ordering: .acquiring) }

    /// The next chunk; the body counts as used from here on.
    public func next() async throws -> [UInt8]? {
        used.store(true, ordering: .releasing)
        return try await stream.next()
    }
}
