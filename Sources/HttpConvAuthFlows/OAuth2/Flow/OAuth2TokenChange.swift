import Synchronization

/// Something happened to stored tokens.
public struct OAuth2TokenChange: Hashable, Sendable {
    /// What happened.
    public enum Kind: String, Hashable, Sendable {
        /// A grant brought tokens.
        case granted
        /// A refresh brought new ones.
        case refreshed
        /// They were removed, because somebody wanted that or because the server accepts them no longer.
        case removed
    }

    /// What happened.
    public let kind: Kind
    /// To which tokens; nil: to all of them.
    public let key: OAuth2TokenKey?
}

/// Tells everybody who listens about changes.
final class TokenChangeFeed: Sendable {
    private let state = Mutex<(next: Int, listeners: [Int: AsyncStream<OAuth2TokenChange>.Continuation])>((0, [:]))

    /// Changes from now on; the newest hundred wait for a slow listener.
    func listen() -> AsyncStream<OAuth2TokenChange> {
        let (stream, continuation) = AsyncStream<OAuth2TokenChange>.makeStream(bufferingPolicy: .bufferingNewest(100))
        let number = state.withLock { state in
            state.next += 1
            state.listeners[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in state.listeners.removeValue(forKey: number) }.map { _ in }
        }
        return stream
    }

    func tell(_ kind: OAuth2TokenChange.Kind, _ key: OAuth2TokenKey?) {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.yield(OAuth2TokenChange(kind: kind, key: key)) }
    }
}
