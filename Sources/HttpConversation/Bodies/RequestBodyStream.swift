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
    private struct State {
        var stream: RequestBodyStream
        var isUsed = false
        /// The exchange that it was opened for last: what others read, they do not get.
        var opening = 0
        /// Of those who read it for that exchange, only the last one does.
        var reader = 0
    }

    /// The number of bytes; nil where unknown.
    public let length: Int?
    private let state: Mutex<State>

    init(length: Int?, stream: RequestBodyStream) {
        self.length = length
        state = Mutex(State(stream: stream))
    }

    /// Whether a first chunk was asked for. A body that only waited for `100 Continue` is still unused.
    public var isUsed: Bool { state.withLock { $0.isUsed } }

    /// The next chunk; the body counts as used from here on.
    public func next() async throws -> [UInt8]? {
        let stream = state.withLock { state in
            state.isUsed = true
            return state.stream
        }
        return try await stream.next()
    }

    /// Puts another stream in the place of one that was read.
    func renew(with stream: RequestBodyStream) {
        state.withLock { $0 = State(stream: stream, opening: $0.opening + 1, reader: $0.reader) }
    }

    /// Leaves what nobody has begun to read to who opens it next: whoever was slow to begin is too late.
    func reclaim() {
        state.withLock { if !$0.isUsed { $0.opening += 1 } }
    }

    /// Opens the stream that there is now, for one exchange: one that has ended takes nothing from the next one, from the
    /// same stream or from another, however late it begins.
    ///
    /// - Returns: makes what reads it
    func open() -> @Sendable () -> RequestBodyStream {
        let opening = state.withLock { state in
            state.opening += 1
            return state.opening
        }
        return { [self] in reader(of: opening) }
    }

    private func reader(of opening: Int) -> RequestBodyStream {
        let reader = state.withLock { state in
            if state.opening == opening { state.reader += 1 }
            return state.reader
        }
        return RequestBodyStream { [self] in
            let stream: RequestBodyStream? = state.withLock { state in
                guard state.opening == opening, state.reader == reader else { return nil }
                state.isUsed = true
                return state.stream
            }
            guard let stream else { throw CancellationError() }
            return try await stream.next()
        }
    }
}
