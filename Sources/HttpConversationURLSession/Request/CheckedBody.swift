import HttpConversation
import Synchronization

/// A request body that fails if it is not as long as announced. One call at a time.
///
/// The piece that completes the announced length is held until the source has ended: a wrong length is an error while
/// the server still waits, and never produces a body that looks complete.
final class CheckedBody: Sendable {
    private struct State {
        var stream: RequestBodyStream?
        var count = 0
        var hasEnded = false
    }

    private let body: OpenedRequestBody
    private let state = Mutex(State())

    init(_ body: OpenedRequestBody) { self.body = body }

    /// The next piece, or nil at the end.
    func next() async throws -> [UInt8]? {
        guard !state.withLock(\.hasEnded) else { return nil }
        let stream = try await opened()
        guard let chunk = try await piece(of: stream) else {
            if let length = body.length, state.withLock(\.count) != length {
                throw RequestBodyFailure.length(announced: length, isLonger: false)
            }
            state.withLock { $0.hasEnded = true }
            return nil
        }
        let count = state.withLock { state in
            state.count += chunk.count
            return state.count
        }
        guard let length = body.length, count >= length else { return chunk }
        guard count == length, try await piece(of: stream) == nil else {
            throw RequestBodyFailure.length(announced: length, isLonger: true)
        }
        state.withLock { $0.hasEnded = true }
        return chunk
    }

    private func opened() async throws -> RequestBodyStream {
        if let stream = state.withLock(\.stream) { return stream }
        let stream = try await body.stream()
        state.withLock { $0.stream = stream }
        return stream
    }

    private func piece(of stream: RequestBodyStream) async throws -> [UInt8]? {
        while let chunk = try await stream.next() {
            if !chunk.isEmpty { return chunk }
        }
        return nil
    }
}
