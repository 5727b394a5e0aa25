import Synchronization

/// Cuts chunks into pieces, and gives one only when a bucket lets it through. One call at a time.
final class LimitedPieces: Sendable {
    private let bucket: TokenBucket
    /// What was read and is not let through yet.
    private let rest = Mutex<ArraySlice<UInt8>>([])

    init(_ bucket: TokenBucket) { self.bucket = bucket }

    /// The next piece, of what is left or of the next chunk that has anything in it.
    ///
    /// - Throws: what `read` throws, and `failure` where waiting was cancelled
    func next<Failure: Error>(
        cancelled failure: (any Error) -> Failure, from read: () async throws(Failure) -> [UInt8]?
    ) async throws(Failure) -> [UInt8]? {
        while rest.withLock({ $0.isEmpty }) {
            guard let chunk = try await read() else { return nil }
            rest.withLock { $0 = chunk[...] }
        }
        let piece = rest.withLock { rest in
            defer { rest = rest.dropFirst(bucket.piece) }
            return Array(rest.prefix(bucket.piece))
        }
        do { try await bucket.take(piece.count) } catch { throw failure(error) }
        return piece
    }
}
