import Synchronization

/// A buffer between the source of a request's body and the connection. It holds one window, so that neither side waits
/// for the other at each piece.
///
/// The writer adds pieces on its task; the connection takes them on its event loop.
final class RequestBodyPipe: Sendable {
    private struct State {
        var pieces: [RequestBodyBytes] = []
        /// The number of bytes of all pieces.
        var count = 0
        /// Whether the body ends with these pieces.
        var isEnded = false
        /// Whether the connection has been told that there are pieces.
        var isAnnounced = false
        var isClosed = false
        var writer: UnsafeContinuation<Bool, Never>?
    }

    private let state = Mutex(State())
    private let window: RequestBodyWindow
    private let announce: @Sendable () -> Void

    /// - Parameters:
    ///   - window: the writer waits while the pipe holds more bytes
    ///   - announce: tells the connection that there are pieces; called again only after it has found none
    init(window: RequestBodyWindow = .shared, announce: @escaping @Sendable () -> Void) {
        self.window = window
        self.announce = announce
        window.pipeBegan()
    }

    deinit { window.pipeEnded() }

    /// The number of bytes in the pipe.
    var count: Int { state.withLock(\.count) }

    // MARK: The writer's side

    /// Adds a piece and waits until there is room for more. Returns false if the body is no longer needed.
    func send(_ bytes: RequestBodyBytes) async -> Bool {
        if let verdict = add(bytes, isLast: false) { return verdict }
        // A continuation is removed from the state under the lock and resumed by the code that removed it: exactly
        // once.
        return await withUnsafeContinuation { continuation in
            let verdict = state.withLock { state in
                let verdict = self.verdict(state)
                if verdict == nil { state.writer = continuation }
                return verdict
            }
            if let verdict { continuation.resume(returning: verdict) }
        }
    }

    /// Ends the body with its last piece, if there is one left.
    func end(with last: RequestBodyBytes? = nil) { _ = add(last, isLast: true) }

    private func add(_ bytes: RequestBodyBytes?, isLast: Bool) -> Bool? {
        let (isNews, verdict) = state.withLock { state -> (Bool, Bool?) in
            guard !state.isClosed else { return (false, false) }
            if let bytes {
                state.pieces.append(bytes)
                state.count += bytes.count
            }
            state.isEnded = isLast
            defer { state.isAnnounced = true }
            return (!state.isAnnounced, self.verdict(state))
        }
        if isNews { announce() }
        return verdict
    }

    private func verdict(_ state: borrowing State) -> Bool? {
        if state.isClosed { return false }
        let isFile = if case .buffer? = state.pieces.last { true } else { false }
        return state.count <= window.size(forFiles: isFile) ? true : nil
    }

    // MARK: The connection's side

    /// Takes all pieces that there are.
    func take() -> (pieces: [RequestBodyBytes], isLast: Bool) {
        let (pieces, isLast, writer) = state.withLock { state in
            if state.pieces.isEmpty { state.isAnnounced = false }
            defer {
                state.pieces = []
                state.count = 0
                state.isEnded = false
                state.writer = nil
            }
            return (state.pieces, state.isEnded, state.writer)
        }
        writer?.resume(returning: true)
        return (pieces, isLast)
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
