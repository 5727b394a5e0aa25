import HttpConvConcurrency
import Synchronization

/// A response body as it arrives: a sequence of chunks with back-pressure, iterable once.
///
/// Dropping the last reference before the end cancels the exchange.
public final class ResponseBody: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    private struct State {
        /// The chunks that were read ahead. They may be many and small, so their size is counted as they arrive, and a
        /// slice removes the first one cheaply.
        private(set) var prefix: ArraySlice<[UInt8]> = []
        private(set) var prefixCount = 0
        var ended = false
        var failure: ConversationError?
        var wasGivenUp = false
        var received = 0
        var consumed = 0
        /// The limit of bytes that may be consumed.
        var bound = Int.max
        /// The task that reads ahead for a filter, which may have stopped waiting for it.
        var reader: Task<Void, Never>?
        /// The number of bytes that filters want to see. That task ends once they are there.
        var wanted = 0
        var onEnd: [@Sendable (Result<Int, ConversationError>) -> Void] = []

        init(whole bytes: [UInt8]? = nil) {
            guard let bytes else { return }
            if !bytes.isEmpty { append(bytes) }
            (ended, received) = (true, bytes.count)
        }

        mutating func append(_ chunk: [UInt8]) {
            prefix.append(chunk)
            prefixCount += chunk.count
        }

        mutating func takeFirst() -> [UInt8]? {
            let chunk = prefix.popFirst()
            prefixCount -= chunk?.count ?? 0
            return chunk
        }

        /// Whether the task that reads ahead goes on; else it no longer counts as running.
        mutating func readerGoesOn() -> Bool {
            if !ended, prefixCount < wanted { return true }
            reader = nil
            return false
        }

        mutating func dropPrefix() { (prefix, prefixCount) = ([], 0) }

        var outcome: Result<Int, ConversationError> { failure.map { .failure($0) } ?? .success(received) }
    }

    private let source: (any TransportBody)?
    private let state: Mutex<State>
    /// The announced number of bytes, if known.
    public let expectedLength: Int?
    /// The announced number of bytes on the wire, which differs if a content coding was removed.
    private let transferLength: Int?
    /// Whether the transport removes content codings. Then the head no longer names them, and the length is not known.
    public let isDecoded: Bool

    /// A body that a transport provides.
    public init(_ source: any TransportBody, expectedLength: Int? = nil) {
        self.source = source
        self.expectedLength = expectedLength
        transferLength = expectedLength
        isDecoded = false
        state = Mutex(State())
    }

    /// A body whose content codings a transport removes, with its number of bytes on the wire.
    package init(_ source: any TransportBody, transferLength: Int?) {
        self.source = source
        expectedLength = nil
        self.transferLength = transferLength
        isDecoded = true
        state = Mutex(State())
    }

    /// A copy that is limited by a bucket.
    func rateLimited(by bucket: TokenBucket) -> ResponseBody {
        ResponseBody(RateLimitedBody(self, bucket), expectedLength, transferLength, isDecoded)
    }

    private init(
        _ source: any TransportBody, _ expectedLength: Int?, _ transferLength: Int?, _ isDecoded: Bool
    ) {
        self.source = source
        self.expectedLength = expectedLength
        self.transferLength = transferLength
        self.isDecoded = isDecoded
        state = Mutex(State())
    }

    /// A body in memory.
    public init(bytes: [UInt8] = []) {
        source = nil
        expectedLength = bytes.count
        transferLength = bytes.count
        isDecoded = false
        state = Mutex(State(whole: bytes))
    }

    deinit {
        source?.cancel()
        finish { if !$0.ended { $0.failure = .cancelled } }
    }

    /// The next chunk, or nil at the end. For one consumer.
    public func next() async throws(ConversationError) -> [UInt8]? {
        // A consumer wants what is there: a read-ahead that goes on ends with the chunk that it waits for.
        let reader: Task<Void, Never>? = state.withLock { state in
            state.wanted = 0
            return state.prefix.isEmpty ? state.reader : nil
        }
        if let reader {
            await withTaskCancellationHandler {
                await reader.value
            } onCancel: {
                source?.cancel()
            }
        }
        let (chunk, isEnd) = try takePrefix()
        if let chunk { return try consumed(chunk) }
        if isEnd { return nil }
        guard let chunk = try await pull() else { return nil }
        return try consumed(chunk)
    }

    private func takePrefix() throws(ConversationError) -> (chunk: [UInt8]?, isEnd: Bool) {
        let (chunk, failure, isEnd) = state.withLock { state -> ([UInt8]?, ConversationError?, Bool) in
            if let chunk = state.takeFirst() { return (chunk, nil, false) }
            return (nil, state.failure, state.ended)
        }
        if let failure { throw failure }
        return (chunk, isEnd)
    }

    private func consumed(_ chunk: [UInt8]) throws(ConversationError) -> [UInt8] {
        let beyond: Int? = state.withLock { state in
            state.consumed += chunk.count
            return state.consumed > state.bound ? state.bound : nil
        }
        guard let beyond else { return chunk }
        let error = Self.tooLarge(beyond)
        end(with: error)
        throw error
    }

    /// Pulls a chunk from the transport and tracks the end.
    private func pull() async throws(ConversationError) -> [UInt8]? {
        guard let source else { return nil }
        do throws(ConversationError) {
            let chunk = try await source.next()
            try record(chunk)
            return chunk
        } catch {
            finish { if !$0.ended { $0.failure = error } }
            throw error
        }
    }

    private func record(_ chunk: [UInt8]?) throws(ConversationError) {
        guard let chunk else { return finish { _ in } }
        let failure = state.withLock { state in
            state.received += chunk.count
            return state.failure
        }
        if let failure { throw failure }
    }

    /// Ends the body; the first end counts, and its hooks are called.
    private func finish(_ change: (inout sending State) -> Void) {
        let (actions, outcome) = state.withLock { state in
            change(&state)
            state.ended = true
            defer { state.onEnd = [] }
            return (state.onEnd, state.outcome)
        }
        for action in actions { action(outcome) }
    }

    /// Reads up to `limit` bytes ahead without consuming them: iteration returns them again.
    ///
    /// - Returns: whether the body has ended
    func prefetch(upTo limit: Int) async throws(ConversationError) -> Bool {
        while true {
            let (isEnough, isWhole) = state.withLock { ($0.ended || $0.prefixCount >= limit, $0.ended) }
            if isEnough { return isWhole }
            guard let chunk = try await pull() else { continue }
            state.withLock { $0.append(chunk) }
        }
    }

    /// Like `prefetch(upTo:)`, but with a timeout, which does not disturb later reading. Cancelling the task ends the
    /// exchange.
    package func prefetch(
        upTo count: Int, within limit: Duration, clock: any Clock<Duration> & Sendable
    ) async throws(ConversationError) -> [UInt8] {
        Array(try await prefetchChunks(upTo: count, within: limit, clock: clock).chunks.joined())
    }

    /// Like `prefetch(upTo:within:clock:)`, but returns the chunks as they arrived, and whether they are the whole body.
    func prefetchChunks(
        upTo count: Int, within limit: Duration, clock: any Clock<Duration> & Sendable
    ) async throws(ConversationError) -> (chunks: [[UInt8]], isWhole: Bool) {
        if let chunks = chunksAtHand(count) { return chunks }
        if let source, source.hasArrived, !isBeingReadAhead {
            // A failure is kept, and thrown when the body is read.
            _ = try? await prefetch(upTo: count)
            if let chunks = chunksAtHand(count) { return chunks }
        }
        if let reader = reader(upTo: count) {
            await Deadline.wait(for: reader, limit, clock: clock)
            // The conversation ends, so nobody reads the rest.
            if Task.isCancelled { source?.cancel() }
        }
        let (chunks, hasEnded, failure) = state.withLock { state in (state.prefix, state.ended, state.failure) }
        if let failure, chunks.isEmpty { throw failure }
        return (Array(chunks), hasEnded && failure == nil)
    }

    /// The chunks that were read ahead, if they are enough, or all.
    private func chunksAtHand(_ count: Int) -> (chunks: [[UInt8]], isWhole: Bool)? {
        state.withLock { state in
            guard state.ended || state.prefixCount >= count, state.failure == nil else { return nil }
            return (Array(state.prefix), state.ended)
        }
    }

    /// The task that reads ahead, which goes on when nobody waits for it; nil if enough was read. It does not hold the
    /// body while it waits for the source: a body that is dropped meanwhile ends its exchange.
    private func reader(upTo count: Int) -> Task<Void, Never>? {
        guard let source else { return nil }
        return state.withLock { state in
            if state.ended || state.prefixCount >= count { return nil }
            state.wanted = Swift.max(state.wanted, count)
            let reader = state.reader ?? readAhead(source)
            state.reader = reader
            return reader
        }
    }

    private func readAhead(_ source: any TransportBody) -> Task<Void, Never> {
        Task { [weak self] in
            while self?.state.withLock({ $0.readerGoesOn() }) == true {
                let chunk: Result<[UInt8]?, ConversationError>
                do throws(ConversationError) { chunk = .success(try await source.next()) } catch {
                    chunk = .failure(error)
                }
                self?.keep(chunk)
            }
        }
    }

    /// Keeps what was read ahead. A failure is thrown when the body is read.
    private func keep(_ result: Result<[UInt8]?, ConversationError>) {
        do throws(ConversationError) {
            let chunk = try result.get()
            try record(chunk)
            if let chunk { state.withLock { $0.append(chunk) } }
        } catch {
            finish { if !$0.ended { $0.failure = error } }
        }
    }

    /// Reads the rest, so that the connection can be used again. A long rest is abandoned with its connection.
    func finish(within limit: Duration, clock: any Clock<Duration> & Sendable) async {
        guard !hasEnded else { return }
        if !isBeingReadAhead, await drains(within: limit, clock: clock) { return }
        source?.cancel()
        // Bytes that were read ahead stay readable. A cancellation by the timeout is not the body's failure.
        finish { state in
            guard !state.ended || state.failure?.code == .cancelled else { return }
            state.failure = Self.givenUp
            state.wasGivenUp = true
        }
    }

    private func drains(within limit: Duration, clock: any Clock<Duration> & Sendable) async -> Bool {
        if let source, source.hasArrived { return await readsToEnd(atMost: Self.drainLimit) }
        return await Deadline.race(limit, clock: clock) { await self.readsToEnd(atMost: Self.drainLimit) } == true
    }

    private func readsToEnd(atMost limit: Int) async -> Bool {
        // A failure is an end, too.
        do { return try await prefetch(upTo: limit) } catch { return true }
    }

    private static let drainLimit = 256 << 10
    /// The longest time for the rest of a response before a conversation goes on: a new connection takes less.
    static let drainTime = Duration.seconds(1)

    private static var givenUp: ConversationError {
        ConversationError(
            .tooLarge,
            "The rest of the response body was given up, because the conversation had to wait for a login or a token."
        )
    }

    /// Whether the rest was abandoned; reading on fails.
    var wasGivenUp: Bool { state.withLock { $0.wasGivenUp } }
    /// Whether the body has ended.
    var hasEnded: Bool { state.withLock { $0.ended } }
    /// Whether a read-ahead without waiters still uses the source.
    var isBeingReadAhead: Bool { state.withLock { $0.reader != nil } }

    /// Ends the exchange; bytes that were not consumed are lost. Harmless after everything was consumed.
    public func cancel() { end(with: .cancelled) { !$0.ended || !$0.prefix.isEmpty } }

    private func end(with error: ConversationError, where isOpen: (State) -> Bool = { _ in true }) {
        source?.cancel()
        finish { state in
            if isOpen(state) { state.failure = error }
            state.dropPrefix()
        }
    }

    /// Limits the body: more bytes, on the wire or without content codings, end it with
    /// ``ConversationError/Code/tooLarge``; at once if more are announced or have arrived already.
    func bound(to limit: Int) {
        (source as? any BoundedTransportBody)?.bound(transferTo: limit)
        let received = state.withLock { state in
            state.bound = limit
            return state.received
        }
        if received > limit || (transferLength ?? 0) > limit { end(with: Self.tooLarge(limit)) }
    }

    package static func tooLarge(_ limit: Int) -> ConversationError {
        ConversationError(.tooLarge, "The response body is larger than the limit of \(limit) bytes.")
    }

    /// Calls `action` once when the body has ended, with its length; at once if it has ended already. A body that is
    /// dropped or cancelled ends, too.
    func whenEnded(_ action: @escaping @Sendable (Result<Int, ConversationError>) -> Void) {
        let outcome: Result<Int, ConversationError>? = state.withLock { state in
            if state.ended { return state.outcome }
            state.onEnd.append(action)
            return nil
        }
        if let outcome { action(outcome) }
    }

    /// The whole body in memory.
    ///
    /// - Throws: ``ConversationError/Code/tooLarge`` beyond `limit` bytes
    public func collect(upTo limit: Int) async throws(ConversationError) -> [UInt8] {
        if let whole = takeWhole(upTo: limit) { return whole }
        var result: [UInt8] = []
        while let chunk = try await next() {
            guard result.count + chunk.count <= limit else {
                let error = ConversationError(
                    .tooLarge,
                    "The response body is larger than \(limit) bytes: read it as a stream or raise maximumBufferedBytes."
                )
                end(with: error)
                throw error
            }
            if result.isEmpty { result = chunk } else { result += chunk }
        }
        return result
    }

    /// The whole body if it has arrived in one piece, as most small ones have; else nil. Takes the lock once instead of
    /// once for each step of reading.
    func takeWhole(upTo limit: Int) -> [UInt8]? {
        state.withLock { state in
            guard state.ended, state.failure == nil, state.consumed == 0, state.prefix.count <= 1,
                state.prefixCount <= Swift.min(limit, state.bound)
            else { return nil }
            state.consumed = state.prefixCount
            return state.takeFirst() ?? []
        }
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
