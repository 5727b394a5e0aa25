import HttpConvConcurrency
import Synchronization

/// An opened request body: the transport pulls chunks as the connection accepts them.
public struct RequestBodyStream: Sendable {
    private enum Source {
        case chunks(@Sendable () async throws -> [UInt8]?)
        case blocking(@Sendable (UnsafeMutableRawBufferPointer) throws(ConversationError) -> Int)
    }

    private let source: Source

    /// A stream from a function that yields the next chunk, or nil at the end. Called by one task at a time.
    public init(_ next: @escaping @Sendable () async throws -> [UInt8]?) { source = .chunks(next) }

    /// A stream over any sequence of byte chunks.
    public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == [UInt8] {
        let cursor = Cursor(chunks)
        source = .chunks { try await cursor.next() }
    }

    /// A stream from a function that blocks until it has filled memory, and returns the number of bytes; 0 at the end.
    package init(
        blocking read: @escaping @Sendable (UnsafeMutableRawBufferPointer) throws(ConversationError) -> Int
    ) {
        source = .blocking(read)
    }

    /// The next chunk, or nil at the end.
    ///
    /// - Throws: the error of the stream's source
    public func next() async throws -> [UInt8]? { try await next(in: ArrayMemory()) }

    /// The next chunk in memory of a transport's own kind, or nil at the end.
    package func next<Memory: RequestBodyMemory>(in memory: Memory) async throws -> Memory.Piece? {
        switch source {
        case .chunks(let next): return try await next().map { memory.piece(of: $0) }
        case .blocking(let read):
            return try await Blocking.run { () throws(ConversationError) in
                try memory.piece(capacity: Self.pieceSize, filledBy: read)
            }
        }
    }

    /// Runs work that reads this stream. If reading blocks, the work runs on a thread that may block, so that no chunk
    /// changes threads.
    package func read<Result>(by work: () async throws -> Result) async throws -> Result {
        switch source {
        case .chunks: try await work()
        case .blocking: try await Blocking.compute(work)
        }
    }
}

/// Keeps an iterator between calls. Reentrancy is harmless: the transport pulls one chunk after the other.
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
        /// The number of the latest exchange that opened it. Readers of earlier ones get no more bytes.
        var opening = 0
        /// The number of the latest reader in that exchange. Earlier readers get no more bytes.
        var reader = 0
    }

    /// The number of bytes; nil if unknown.
    public let length: Int?
    private let state: Mutex<State>

    init(length: Int?, stream: RequestBodyStream) {
        self.length = length
        state = Mutex(State(stream: stream))
    }

    /// Whether a first chunk was asked for. A body that only waited for `100 Continue` is still unused.
    public var isUsed: Bool { state.withLock { $0.isUsed } }

    /// The next chunk; the body counts as used from here on.
    ///
    /// - Throws: the error of the stream's source
    public func next() async throws -> [UInt8]? {
        let stream = state.withLock { state in
            state.isUsed = true
            return state.stream
        }
        return try await stream.next()
    }

    /// Replaces a stream that was read.
    func renew(with stream: RequestBodyStream) {
        state.withLock { $0 = State(stream: stream, opening: $0.opening + 1, reader: $0.reader) }
    }

    /// Ends reading for an exchange that has not begun to read, so that the next one gets the whole stream.
    func reclaim() {
        state.withLock { if !$0.isUsed { $0.opening += 1 } }
    }

    /// Opens the present stream for one exchange. After that, readers of earlier exchanges get no bytes of it, however
    /// late they begin.
    ///
    /// - Returns: a factory of readers
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
