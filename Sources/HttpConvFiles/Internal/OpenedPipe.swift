import HttpConversation
import Synchronization

/// A pipe or device that a body has opened, as a one-shot body.
final class OpenedPipe: Sendable {
    private let state = Mutex<RequestBody?>(nil)

    /// Nil if nothing was opened yet.
    var body: RequestBody? { state.withLock { $0 } }

    /// Keeps a body, unless another call has opened the file meanwhile. Returns the body that is kept.
    func keep(_ body: RequestBody) -> RequestBody {
        state.withLock { kept in
            if let kept { return kept }
            kept = body
            return body
        }
    }
}
