import HttpConversation
import Synchronization

/// A body with one content coding decoded, piece by piece as the consumer reads.
final class DecompressedBody: BoundedTransportBody, Sendable {
    private struct State: ~Copyable {
        var inflater: Inflater
        var sourceEnded = false
    }

    private enum Step {
        case piece([UInt8])
        case needsInput
        case end
        case failed(ConversationError)
    }

    private let source: ResponseBody
    private let canceller: any TransportBody
    private let readsWire: Bool
    private let account: ExpansionAccount
    private let state: Mutex<State>

    /// - Parameter account: the account of the whole body, shared by all its codings
    /// - Parameter readsWire: whether `source` is the body as it comes over the wire
    init(_ source: any TransportBody, _ coding: ContentCoding, _ account: ExpansionAccount, readsWire: Bool) {
        self.source = ResponseBody(source)
        canceller = source
        self.account = account
        self.readsWire = readsWire
        state = Mutex(State(inflater: Inflater(coding)))
    }

    var hasArrived: Bool { canceller.hasArrived }

    func next() async throws(ConversationError) -> [UInt8]? {
        while true {
            switch state.withLock({ step(&$0) }) {
            case .piece(let bytes):
                try checked { () throws(ConversationError) in try account.expand(bytes.count) }
                return bytes
            case .end: return nil
            case .failed(let error):
                cancel()
                throw error
            case .needsInput:
                let bytes = try await source.next()
                if readsWire, let bytes {
                    try checked { () throws(ConversationError) in try account.receive(bytes.count) }
                }
                state.withLock { state in
                    guard let bytes else { return state.sourceEnded = true }
                    state.inflater.add(bytes)
                }
            }
        }
    }

    func cancel() { canceller.cancel() }

    func bound(transferTo count: Int) { account.bound(receivedTo: count) }

    private func checked(_ check: () throws(ConversationError) -> Void) throws(ConversationError) {
        do throws(ConversationError) { try check() } catch {
            cancel()
            throw error
        }
    }

    private func step(_ state: inout State) -> Step {
        do throws(Inflater.Failure) {
            let piece = try state.inflater.piece()
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
}
