import Synchronization

/// Records a transcript while conversations run.
public final class TranscriptRecorder: ConversationObserver {
    private struct State {
        var transcript = Transcript()
        var size = 0
    }

    private let limit: Int
    private let byteLimit: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: the maximum number of entries; above it, the oldest are dropped
    ///   - byteLimit: the approximate maximum memory of all entries, in bytes
    public init(limit: Int = 10_000, byteLimit: Int = 32 << 20) {
        self.limit = max(1, limit)
        self.byteLimit = byteLimit
    }

    /// The transcript so far.
    public var transcript: Transcript { state.withLock { $0.transcript } }

    public func observe(_ event: ConversationEvent) {
        let entry = Transcript.Entry(event)
        let size = entry.size
        state.withLock { state in
            while !state.transcript.entries.isEmpty,
                state.transcript.entries.count >= limit || state.size + size > byteLimit
            {
                // Drops a tenth at once, because each removal moves all other entries.
                let count = max(1, state.transcript.entries.count / 10)
                state.size -= state.transcript.entries.prefix(count).reduce(0) { $0 + $1.size }
                state.transcript.entries.removeFirst(count)
                state.transcript.isCut = true
            }
            state.transcript.entries.append(entry)
            state.size += size
        }
    }
}
