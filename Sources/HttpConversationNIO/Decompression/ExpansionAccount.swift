import HttpConversation
import Synchronization

/// The limit on how much a compressed body may expand.
struct ExpansionLimit: Sendable {
    /// The allowed multiple of the body's bytes on the wire.
    let factor: Int
    /// The number of bytes that is always allowed.
    let allowance: Int
}

/// Compares the bytes that all codings of one body expanded to with its bytes on the wire (security rule S24).
///
/// The codings share one account: each could stay below the limit while three of them turn a few bytes into a GiB.
final class ExpansionAccount: Sendable {
    private struct State {
        var received = 0
        var expanded = 0
        var maximumReceived = Int.max
    }

    private let limit: ExpansionLimit
    private let state = Mutex(State())

    init(_ limit: ExpansionLimit) { self.limit = limit }

    /// Limits the bytes on the wire. A long body may expand to nothing.
    func bound(receivedTo count: Int) { state.withLock { $0.maximumReceived = count } }

    /// Counts bytes that came over the wire.
    func receive(_ count: Int) throws(ConversationError) {
        let beyond: Int? = state.withLock { state in
            state.received += count
            return state.received > state.maximumReceived ? state.maximumReceived : nil
        }
        if let beyond { throw ResponseBody.tooLarge(beyond) }
    }

    /// Counts bytes that one of the codings expanded to.
    func expand(_ count: Int) throws(ConversationError) {
        let isAllowed = state.withLock { state in
            state.expanded += count
            let (product, overflows) = state.received.multipliedReportingOverflow(by: limit.factor)
            return state.expanded <= max(limit.allowance, overflows ? .max : product)
        }
        guard isAllowed else {
            throw ConversationError(
                .contentCoding,
                "The compressed response body expands to more than \(limit.factor) times its size (maximumExpansion of the transport's configuration)."
            )
        }
    }
}
