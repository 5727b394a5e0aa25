import HttpC

/// The body of a request while it is sent on. It keeps the start, so that a target that asks for a login after it has
/// read some of it gets the whole again; the memory stays within the limit.
actor UploadRecord {
    private let pull: @Sendable () async throws -> [UInt8]?
    private let limit: Int
    /// The chunks that are kept, from the index `start` on.
    private var chunks: [[UInt8]] = []
    private var start = 0
    private var received = 0
    private var isComplete = false
    private var failure: (any Error)?
    private var pulling: Task<Void, Never>?
    /// The number of the latest reader; the others belong to exchanges that have ended.
    private var latest = 0
    /// The index of that reader's next chunk.
    private var position = 0
    /// Whether an exchange needed the start of a body that was no longer kept.
    private(set) var isLost = false

    /// - Parameters:
    ///   - limit: the number of bytes to keep
    ///   - pull: returns the next chunk of the client's; nil at the end
    init(keeping limit: Int, _ pull: @escaping @Sendable () async throws -> [UInt8]?) {
        self.limit = limit
        self.pull = pull
    }

    /// - Parameter length: the announced number of bytes; nil sends it chunked
    nonisolated func body(length: Int?) -> RequestBody { .source(Source(record: self, length: length)) }

    /// The body for a transport. It is opened before the head is sent, so that the target never gets a head without its
    /// body.
    private struct Source: RequestBodySource {
        let record: UploadRecord
        let length: Int?

        func open() async throws(ConversationError) -> OpenedRequestBody {
            try await record.requireStart()
            return OpenedRequestBody(length: length) { try await record.reader() }
        }
    }

    private func requireStart() throws(ConversationError) {
        guard start == 0 else {
            isLost = true
            throw ConversationError(
                .bodyNotReplayable,
                "The request had to be sent again, as after a login, when \(received) bytes of its body were gone. Send it again."
            )
        }
    }

    private func reader() throws(ConversationError) -> RequestBodyStream {
        try requireStart()
        latest += 1
        position = 0
        let reader = latest
        return RequestBodyStream { try await self.next(for: reader) }
    }

    private func next(for reader: Int) async throws -> [UInt8]? {
        while true {
            guard reader == latest else { throw CancellationError() }
            if position < start + chunks.count {
                let chunk = chunks[position - start]
                position += 1
                forgetBegin()
                return chunk
            }
            if let failure { throw failure }
            if isComplete { return nil }
            let task = pulling ?? Task { await pullNext() }
            pulling = task
            await task.value
        }
    }

    /// One chunk for all readers: the reader that asked for it may be gone when it arrives.
    private func pullNext() async {
        do {
            if let chunk = try await pull() {
                chunks.append(chunk)
                received += chunk.count
            } else {
                isComplete = true
            }
        } catch {
            failure = error
        }
        pulling = nil
    }

    private func forgetBegin() {
        guard received > limit else { return }
        chunks.removeFirst(position - start)
        start = position
    }
}
