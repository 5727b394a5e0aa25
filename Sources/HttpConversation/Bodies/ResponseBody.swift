import HttpConvConcurrency
import Synchronization

/// A response body as it arrives: a sequence of chunks with back-pressure, iterable once.
///
/// Dropping the last reference before the end cancels the exchange.
public final class ResponseBody: AsyncSequence, Sendable {
    public typealias Element = [UInt8]

    private struct State {
        /// What was read ahead. Chunks may be many and small: counted as they come, and a slice gives up its first at once.
        private(set) var prefix: ArraySlice<[UInt8]> = []
        private(set) var prefixCount = 0
        var ended = false
        var failure: ConversationError?
        var wasGivenUp = false
        var received = 0
        var consumed = 0
        /// How much may be consumed.
        var bound = Int.max
        /// Reads ahead for a filter that may have stopped waiting for it.
        var reader: Task<Void, Never>?
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

        mutating func dropPrefix() { (prefix, prefixCount) = ([], 0) }

        var outcome: Result<Int, ConversationError> { failure.map { .failure($0) } ?? .success(received) }
    }

    private let source: (any TransportBody)?
    private let state: Mutex<State>
    /// The announced number of bytes, where it is known.
    public let expectedLength: Int?
    /// The announced number of bytes on the wire, which differs where a content coding was undone.
    private let transferLength: Int?

    /// A body that a transport delivers.
    public init(_ source: any TransportBody, expectedLength: Int? = nil) {
        self.source = source
        self.expectedLength = expectedLength
        transferLength = expectedLength
        state = Mutex(State())
    }

    /// A body whose content codings a transport undoes, and which comes as so many bytes over the wire.
    package init(_ source: any TransportBody, transferLength: Int?) {
        self.source = source
        expectedLength = nil
        self.transferLength = transferLength
        state = Mutex(State())
    }

    /// The same body, no faster than a bucket lets it.
    func limited(by bucket: TokenBucket) -> ResponseBody {
        ResponseBody(LimitedBody(self, bucket), expectedLength, transferLength)
    }

    private init(_ source: any TransportBody, _ expectedLength: Int?, _ transferLength: Int?) {
        self.source = source
        self.expectedLength = expectedLength
        self.transferLength = transferLength
        state = Mutex(State())
    }

    /// A body that is there already.
    public init(bytes: [UInt8] = []) {
        source = nil
        expectedLength = bytes.count
        transferLength = bytes.count
        state = Mutex(State(whole: bytes))
    }

    deinit {
        source?.cancel()
        finish { if !$0.ended { $0.failure = .cancelled } }
    }

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

    /// Pulls from the transport and keeps account of the end.
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

    /// The first end counts, and is told of.
    private func finish(_ change: (inout sending State) -> Void) {
        let (actions, outcome) = state.withLock { state in
            change(&state)
            state.ended = true
            defer { state.onEnd = [] }
            return (state.onEnd, state.outcome)
        }
        for action in actions { action(outcome) }
    }

    /// Reads up to `limit` bytes ahead without consuming them: what was read comes out of the iteration again.
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

    /// As `prefetch(upTo:)`, but waits no longer than `limit`; what is still to come is not disturbed by that.
    package func prefetch(
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
        return Array(chunks)
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
        source?.cancel()
        // What was read ahead can still be read. The time limit ended the reading by cancelling it: that is no reason.
        finish { state in
            guard !state.ended || state.failure?.code == .cancelled else { return }
            state.failure = Self.givenUp
            state.wasGivenUp = true
        }
    }

    private func drains(within limit: Duration, clock: any Clock<Duration> & Sendable) async -> Bool {
        await Deadline.race(limit, clock: clock) { await self.readsToEnd(atMost: Self.drainLimit) } == true
    }

    private func readsToEnd(atMost limit: Int) async -> Bool {
        // A failure is an end, too.
        do { return try await prefetch(upTo: limit) } catch { return true }
    }

    private static let drainLimit = 256 << 10

    private static var givenUp: ConversationError {
        ConversationError(
            .tooLarge,
            "The response body was given up after \(drainLimit) bytes, because the conversation had to wait for a login or a token."
        )
    }

    /// Whether what was left was given up: reading on fails.
    var wasGivenUp: Bool { state.withLock { $0.wasGivenUp } }
    /// Whether nothing more will come.
    var hasEnded: Bool { state.withLock { $0.ended } }
    /// Whether a read-ahead that nobody waits for any more still has the source.
    var isBeingReadAhead: Bool { state.withLock { $0.reader != nil } }

    /// Ends the exchange, and what was not consumed is lost. Harmless once everything was.
    package func cancel() { end(with: .cancelled) { !$0.ended || !$0.prefix.isEmpty } }

    private func end(with error: ConversationError, where isOpen: (State) -> Bool = { _ in true }) {
        source?.cancel()
        finish { state in
            if isOpen(state) { state.failure = error }
            state.dropPrefix()
        }
    }

    /// Lets the body end in ``ConversationError/Code/tooLarge`` beyond so many bytes, on the wire or unpacked: at once
    /// where more are announced or there.
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

    /// Calls `action` once when the body has ended, with its length; at once where it is there already. A body that is
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
