import HttpConvConcurrency
import Synchronization

/// A response body as it arrives: a sequence of chunks with back-pressure, iterable once.
///
/// Dropping the last reference before the end cancels the exchange.
public final class ResponseBody: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    private struct State {
        var prefix: [[UInt8]] = []
        var ended = false
        var failure: ConversationError?
        var wasGivenUp = false
        var received = 0
        /// Reads ahead for a filter that may have stopped waiting for it.
        var reader: Task<Void, Never>?

        var prefixCount: Int { prefix.reduce(0) { $0 + $1.count } }
        var onEnd: (@Sendable (Result<Int, ConversationError>) -> Void)?
    }

    private let source: (any TransportBody)?
    private let state: Mutex<State>
    /// The announced number of bytes, where it is known.
    public let expectedLength: Int?

    /// A body that a transport delivers.
    public init(_ source: any TransportBody, expectedLength: Int? = nil) {
        self.source = source
        self.expectedLength = expectedLength
        state = Mutex(State())
    }

    /// A body that is there already.
    public init(bytes: [UInt8] = []) {
        source = nil
        expectedLength = bytes.count
        state = Mutex(State(prefix: bytes.isEmpty ? [] : [bytes], ended: true))
    }

    deinit { source?.cancel() }

    /// The next chunk, or nil at the end. For one consumer.
    public func next() async throws(ConversationError) -> [UInt8]? {
        if let reader = state.withLock({ $0.reader }) {
            await withTaskCancellationHandler {
                await reader.value
            } onCancel: {
                source?.cancel()
            }
        }
        let (chunk, isEnd) = try takePrefix()
        if let chunk { return chunk }
        if isEnd { return nil }
        return try await pull()
    }

    private func takePrefix() throws(ConversationError) -> (chunk: [UInt8]?, isEnd: Bool) {
        let (chunk, failure, isEnd) = state.withLock { state in
            state.prefix.isEmpty ? (nil, state.failure, state.ended) : (state.prefix.removeFirst(), nil, false)
        }
        if let failure { throw failure }
        return (chunk, isEnd)
    }

    /// Pulls from the transport and keeps account of the end.
    private func pull() async throws(ConversationError) -> [UInt8]? {
        guard let source else { return nil }
        do throws(ConversationError) {
            let chunk = try await source.next()
            record(chunk)
            return chunk
        } catch {
            finish { $0.failure = error }
            throw error
        }
    }

    private func record(_ chunk: [UInt8]?) {
        guard let chunk else { return finish { _ in } }
        state.withLock { $0.received += chunk.count }
    }

    private func finish(_ change: (inout sending State) -> Void) {
        let (onEnd, result) = state.withLock { state in
            change(&state)
            state.ended = true
            defer { state.onEnd = nil }
            let result: Result<Int, ConversationError> = state.failure.map { .failure($0) } ?? .success(state.received)
            return (state.onEnd, result)
        }
        onEnd?(result)
    }

    /// Reads up to `limit` bytes ahead without consuming them: what was read comes out of the iteration again.
    ///
    /// - Returns: whether the body has ended
    func prefetch(upTo limit: Int) async throws(ConversationError) -> Bool {
        while true {
            let (isEnough, isWhole) = state.withLock { ($0.ended || $0.prefixCount >= limit, $0.ended) }
            if isEnough { return isWhole }
            guard let chunk = try await pull() else { continue }
            state.withLock { $0.prefix.append(chunk) }
        }
    }

    /// As `prefetch(upTo:)`, but waits no longer than `limit`; what is still to come is not disturbed by that.
    func prefetch(
        upTo count: Int, within limit: Duration, clock: any Clock<Duration> & Sendable
    ) async throws(ConversationError) -> [UInt8] {
        Array(try await prefetchChunks(upTo: count, within: limit, clock: clock).joined())
    }

    /// The same, in the chunks that arrived.
    func prefetchChunks(
        upTo count: Int, within limit: Duration, clock: any Clock<Duration> & Sendable
    ) async throws(ConversationError) -> [[UInt8]] {
        let reader = state.withLock { state in
            if state.ended || state.prefixCount >= count { return nil as Task<Void, Never>? }
            let reader = state.reader ?? Task { await self.readAhead(upTo: count) }
            state.reader = reader
            return reader
        }
        if let reader { await Deadline.wait(for: reader, limit, clock: clock) }
        let (chunks, failure) = state.withLock { state in (state.prefix, state.failure) }
        if let failure, chunks.isEmpty { throw failure }
        return chunks
    }

    private func readAhead(upTo count: Int) async {
        // A failure is kept and comes out where the body is read.
        _ = try? await prefetch(upTo: count)
        state.withLock { $0.reader = nil }
    }

    /// Reads what is left, so that the connection can be used again; a long rest is given up with its connection.
    func finish(within limit: Duration, clock: any Clock<Duration> & Sendable) async {
        guard !hasEnded else { return }
        if !isBeingReadAhead, await drains(within: limit, clock: clock) { return }
        abandon(
            ConversationError(
                .tooLarge,
                "The response body was given up after \(Self.drainLimit) bytes, because the conversation had to wait for a login."
            ))
    }

    private func drains(within limit: Duration, clock: any Clock<Duration> & Sendable) async -> Bool {
        await Deadline.race(limit, clock: clock) { await self.readsToEnd(atMost: Self.drainLimit) } == true
    }

    private func readsToEnd(atMost limit: Int) async -> Bool {
        // A failure is an end, too.
        do { return try await prefetch(upTo: limit) } catch { return true }
    }

    private static let drainLimit = 256 << 10

    /// Whether what was left was given up: reading on fails.
    var wasGivenUp: Bool { state.withLock { $0.wasGivenUp } }
    /// Whether nothing more will come.
    var hasEnded: Bool { state.withLock { $0.ended } }
    /// Whether a read-ahead that nobody waits for any more still has the source.
    var isBeingReadAhead: Bool { state.withLock { $0.reader != nil } }

    /// Gives up the connection: what was not read ahead is lost, and reading on says so.
    func abandon(_ error: ConversationError) {
        source?.cancel()
        state.withLock { state in
            guard !state.ended else { return }
            state.ended = true
            state.wasGivenUp = true
            state.failure = error
        }
    }

    /// Calls `action` once when the body has ended, with its length; at once where it is there already.
    func whenEnded(_ action: @escaping @Sendable (Result<Int, ConversationError>) -> Void) {
        let result: Result<Int, ConversationError>? = state.withLock { state in
            guard state.ended else {
                state.onEnd = action
                return nil
            }
            return state.failure.map { .failure($0) } ?? .success(state.prefixCount)
        }
        if let result { action(result) }
    }

    /// The whole body in memory.
    ///
    /// - Throws: ``ConversationError/Code/tooLarge`` beyond `limit` bytes
    public func collect(upTo limit: Int) async throws(ConversationError) -> [UInt8] {
        var result: [UInt8] = []
        while let chunk = try await next() {
            guard result.count + chunk.count <= limit else {
                source?.cancel()
                throw ConversationError(
                    .tooLarge,
                    "The response body is larger than \(limit) bytes: read it as a stream or raise maximumBufferedBytes."
                )
            }
            if result.isEmpty { result = chunk } else { result += chunk }
        }
        return result
    }

    /// Iterates over the chunks.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let body: ResponseBody
        public func next() async throws(ConversationError) -> [UInt8]? { try await body.next() }
        public func next(isolation: isolated (any Actor)?) async throws(ConversationError) -> [UInt8]? {
            try await body.next()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }
}
