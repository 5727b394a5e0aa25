import HttpConversation
import Synchronization

/// A body with one content coding undone, piece by piece as the consumer asks.
final class DecompressedBody: TransportBody, Sendable {
    private struct State: ~Copyable {
        var inflater: Inflater
        var received = 0
        var expanded = 0
        var sourceEnded = false
    }

    private enum Step {
        case piece([UInt8])
        case needsInput
        case end
        case failed(ConversationError)
    }

    /// Up to here a body may expand whatever its size.
    private static let freeExpansion = 1 << 20

    private let source: ResponseBody
    private let canceller: any TransportBody
    private let maximumExpansion: Int
    private let state: Mutex<State>

    init(_ source: any TransportBody, _ coding: ContentCoding, maximumExpansion: Int) {
        self.source = ResponseBody(source)
        canceller = source
        self.maximumExpansion = maximumExpansion
        state = Mutex(State(inflater: Inflater(coding)))
    }

    func next() async throws(ConversationError) -> [UInt8]? {
        while true {
            switch state.withLock({ step(&$0) }) {
            case .piece(let bytes): return bytes
            case .end: return nil
            case .failed(let error):
                cancel()
                throw error
            case .needsInput:
                let bytes = try await source.next()
                state.withLock { state in
                    guard let bytes else { return state.sourceEnded = true }
                    state.received += bytes.count
                    state.inflater.add(bytes)
                }
            }
        }
    }

    func cancel() { canceller.cancel() }

    private func step(_ state: inout State) -> Step {
        do throws(Inflater.Failure) {
            let piece = try state.inflater.piece()
            state.expanded += piece.count
            let limit = max(Self.freeExpansion, state.received.multipliedReportingOverflow(by: maximumExpansion).0)
            guard state.expanded <= limit else { return .failed(Self.bomb(maximumExpansion)) }
            if !piece.isEmpty { return .piece(piece) }
        } catch {
            return .failed(Self.damaged("is damaged"))
        }
        guard state.sourceEnded else { return .needsInput }
        return state.inflater.isComplete && state.inflater.needsInput ? .end : .failed(Self.damaged("ends too early"))
    }

    private static func damaged(_ how: String) -> ConversationError {
        ConversationError(.contentCoding, "The compressed response body \(how).")
    }

    private static func bomb(_ factor: Int) -> ConversationError {
        ConversationError(
            .contentCoding,
            "The compressed response body expands to more than \(factor) times its size (maximumExpansion of the transport's configuration)."
        )
    }
}
