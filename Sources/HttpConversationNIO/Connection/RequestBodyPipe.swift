import NIOCore
import Synchronization

/// What the source of a request's body is ahead of the connection: a window's worth, so that neither waits for the other at
/// each piece.
///
/// The writer puts pieces in on its task, the connection takes them out on its event loop.
final class RequestBodyPipe: Sendable {
    struct Piece {
        let bytes: [UInt8]
        /// The body ends with it.
        let isLast: Bool
    }

    private struct State {
        var pieces = CircularBuffer<Piece>(initialCapacity: 4)
        /// Of all pieces.
        var count = 0
        /// The connection knows that there are pieces.
        var isAnnounced = false
        var isClosed = false
        var writer: UnsafeContinuation<Bool, Never>?
    }

    /// The writer waits while there are more bytes than these.
    static let window = 256 << 10

    private let state = Mutex(State())
    private let announce: @Sendable () -> Void

    /// - Parameter announce: tells the connection that there are pieces; not called again until it has taken all of them
    init(announce: @escaping @Sendable () -> Void) { self.announce = announce }

    /// How many bytes are in it.
    var count: Int { state.withLock(\.count) }

    // MARK: The writer's side

    /// Adds a piece and waits until there is room for more; false where the body is no longer wanted.
    func send(_ bytes: [UInt8], isLast: Bool = false) async -> Bool {
        let (isNews, verdict) = state.withLock { state -> (Bool, Bool?) in
            guard !state.isClosed else { return (false, false) }
            state.pieces.append(Piece(bytes: bytes, isLast: isLast))
            state.count += bytes.count
            defer { state.isAnnounced = true }
            return (!state.isAnnounced, Self.verdict(state))
        }
        if isNews { announce() }
        if let verdict { return verdict }
        // The continuation is taken out of the state under its lock and resumed by whoever took it: exactly once.
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

    /// The next piece; nil where there is none yet.
    func take() -> Piece? {
        let (piece, writer) = state.withLock { state -> (Piece?, UnsafeContinuation<Bool, Never>?) in
            guard let piece = state.pieces.popFirst() else {
                state.isAnnounced = false
                return (nil, nil)
            }
            state.count -= piece.bytes.count
            // Not at each piece: a writer that wakes has room for several.
            guard state.count <= Self.window / 2 else { return (piece, nil) }
            defer { state.writer = nil }
            return (piece, state.writer)
        }
        writer?.resume(returning: true)
        return piece
    }

    /// Nothing more of the body is wanted.
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
