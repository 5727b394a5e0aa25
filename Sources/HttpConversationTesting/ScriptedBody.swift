import HttpConversation
import Synchronization

/// A response body that arrives as a script says.
final class ScriptedBody: TransportBody {
    enum Piece: Sendable {
        case chunk([UInt8])
        case pause(Duration)
        case failure(ConversationError)

        var isEmptyChunk: Bool { if case .chunk(let bytes) = self { bytes.isEmpty } else { false } }
    }

    private struct State {
        var pieces: ArraySlice<Piece>
        var pause: Task<Void, any Error>?
        var isCancelled = false
    }

    private let state: Mutex<State>
    private let clock: any Clock<Duration> & Sendable

    init(_ pieces: [Piece], clock: any Clock<Duration> & Sendable) {
        state = Mutex(State(pieces: pieces[...]))
        self.clock = clock
    }

    func next() async throws(ConversationError) -> [UInt8]? {
        while true {
            let (piece, isCancelled) = state.withLock { ($0.pieces.popFirst(), $0.isCancelled) }
            if isCancelled { throw .cancelled }
            switch piece {
            case nil: return nil
            case .chunk(let bytes): return bytes
            case .failure(let error): throw error
            case .pause(let duration): try await pause(duration)
            }
        }
    }

    private func pause(_ duration: Duration) async throws(ConversationError) {
        let clock = clock
        let pause = Task { try await clock.sleep(for: duration) }
        let isCancelled = state.withLock { state in
            state.pause = pause
            return state.isCancelled
        }
        if isCancelled { pause.cancel() }
        let result = await withTaskCancellationHandler {
            await pause.result
        } onCancel: {
            pause.cancel()
        }
        if case .failure = result { throw .cancelled }
    }

    func cancel() {
        let pause = state.withLock { state in
            state.isCancelled = true
            return state.pause
        }
        pause?.cancel()
    }
}
