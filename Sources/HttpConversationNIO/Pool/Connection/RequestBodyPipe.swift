import NIOCore
import Synchronization

/// A buffer between the source of a request's body and the connection. It holds one window, so that neither side waits
/// for the other at each piece.
///
/// The writer adds pieces on its task; the connection takes them on its event loop.
final class RequestBodyPipe: Sendable {
    struct Piece {
        let bytes: RequestBodyBytes
        /// Whether the body ends with this piece.
        let isLast: Bool
    }

    private struct State {
        var pieces = CircularBuffer<Piece>(initialCapacity: 4)
        /// The number of bytes of all pieces.
        var count = 0
        /// Whether the connection has been told that there are pieces.
        var isAnnounced = false
        var isClosed = false
        var writer: UnsafeContinuation<Bool, Never>?
    }

    /// The writer waits while the pipe holds more bytes than this.
    static let window = 256 << 10

    private let state = Mutex(State())
    private let announce: @Sendable () -> Void

    /// - Parameter announce: tells the connection that there are pieces; called again only after it has taken all of
    ///   them
    init(announce: @escaping @Sendable () -> Void) { self.announce = announce }

    /// The number of bytes in the pipe.
    var count: Int { state.withLock(\.count) }

    // MARK: The writer's side

    /// Adds a piece and waits until there is room for more. Returns false if the body is no longer needed.
    func send(_ bytes: RequestBodyBytes, isLast: Bool = false) async -> Bool {
        let (isNews, verdict) = state.withLock { state -> (Bool, Bool?) in
            guard !state.isClosed else { return (false, false) }
            state.pieces.append(Piece(bytes: bytes, isLast: isLast))
            state.count += bytes.count
            defer { state.isAnnounced = true }
            return (!state.isAnnounced, Self.verdict(state))
        }
        if isNews { announce() }
        if let verdict { return verdict }
        // A continuation is removed from the state under the lock and resumed by the code that removed it: exactly
        // once.
        return await withUnsafeContinuation { continuation in
            let verdict = state.withLock { state in
                let verdict = Self.verdict(state)
                if verdict == nil { state.writer = continuation }
                return verdict
            }
            if let verdict { continuation.resume(returning: verdict) }
        }
    }

    private static func verdict(_ state: borrowing State) -> Bool? {
        if state.isClosed { return false }
        return state.count <= window ? true : nil
    }

    // MARK: The connection's side

    /// Takes the next piece. Returns nil if there is none yet.
    func take() -> Piece? {
        let (piece, writer) = state.withLock { state -> (Piece?, UnsafeContinuation<Bool, Never>?) in
            guard let piece = state.pieces.popFirst() else {
                state.isAnnounced = false
                return (nil, nil)
            }
            state.count -= piece.bytes.count
            // Wakes the writer only when there is room for several pieces.
            guard state.count <= Self.window / 2 else { return (piece, nil) }
            defer { state.writer = nil }
            return (piece, state.writer)
        }
        writer?.resume(returning: true)
        return piece
    }

    /// Stops the upload: the rest of the body is no longer needed.
    func close() {
        let writer = state.withLock { state in
            state.isClosed = true
            state.pieces.removeAll()
            state.count = 0
            defer { state.writer = nil }
            return state.writer
        }
        writer?.resume(returning: false)
    }
}
