import Foundation
import HttpConversation
import Synchronization

/// A request body that URLSession reads from an `InputStream` as fast as the server accepts it.
final class UploadStream: Sendable {
    private struct State {
        var bytes: ArraySlice<UInt8> = []
        var hasEnded = false
        var isCancelled = false
        var pull: Task<Void, Never>?
    }

    /// The result of a read.
    enum Piece {
        case bytes(ArraySlice<UInt8>)
        case end
        case failure
    }

    private let body: CheckedBody
    private weak let exchange: URLExchange?
    private let state = Mutex(State())
    /// Signals the reader after a pull has changed the state.
    private let changes = DispatchSemaphore(value: 0)

    init(_ body: OpenedRequestBody, of exchange: URLExchange) {
        self.body = CheckedBody(body)
        self.exchange = exchange
    }

    /// Stops reading the source and wakes the reader.
    func cancel() {
        let pull = state.withLock { state in
            state.isCancelled = true
            defer { state.pull = nil }
            return state.pull
        }
        pull?.cancel()
        changes.signal()
    }

    /// The next bytes, at most `count`. Blocks its thread until the source has some.
    func read(atMost count: Int) -> Piece {
        while true {
            let piece = state.withLock { state -> Piece? in
                if state.isCancelled { return .failure }
                if !state.bytes.isEmpty {
                    let piece = state.bytes.prefix(count)
                    state.bytes.removeFirst(piece.count)
                    return .bytes(piece)
                }
                if state.hasEnded { return .end }
                if state.pull == nil { state.pull = pull() }
                return nil
            }
            if let piece { return piece }
            changes.wait()
        }
    }

    /// Reads one piece from the source. The idle limit is paused meanwhile.
    private func pull() -> Task<Void, Never> {
        exchange?.waitsForSource(true)
        return Task { [self] in
            do {
                let chunk = try await body.next()
                state.withLock { state in
                    state.pull = nil
                    if let chunk { state.bytes = chunk[...] } else { state.hasEnded = true }
                }
            } catch {
                exchange?.end(with: URLFailure.body(error))
            }
            exchange?.waitsForSource(false)
            changes.signal()
        }
    }
}
