import Synchronization

/// Cuts chunks into pieces, and releases them as a bucket permits. One call at a time.
final class RateLimitedPieces: Sendable {
    private let bucket: TokenBucket
    /// Bytes that were read, and not released yet.
    private let rest = Mutex<ArraySlice<UInt8>>([])

    init(_ bucket: TokenBucket) { self.bucket = bucket }

    /// The next piece, from the rest or from the next chunk that is not empty.
    ///
    /// - Throws: errors of `read`, and `failure` if waiting was cancelled
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
