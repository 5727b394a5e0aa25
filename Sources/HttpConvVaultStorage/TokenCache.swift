internal import HttpConvAuthFlows
internal import HttpConvVault
internal import Synchronization

/// A cache of tokens, valid until the next write to the vault. Tokens are needed before every request, and reading them
/// costs several times as much as the request.
final class TokenCache: VaultCache {
    private struct State {
        var stamp: Int64 = 0
        var tokens = TokensByKey()
        /// Whether the vault is closed; then nothing is cached.
        var isClosed = false
    }

    /// The maximum number of cached tokens.
    private static let capacity = 100
    private let state = Mutex(State())

    /// - Parameter stamp: the vault's stamp before the lookup
    func tokens(for key: OAuth2TokenKey, at stamp: Int64) -> OAuth2Tokens? {
        state.withLock { state in
            if state.stamp != stamp { state = State(stamp: stamp, isClosed: state.isClosed) }
            return state.tokens.find(key)
        }
    }

    /// - Parameter stamp: the vault's stamp before the tokens were read
    func keep(_ tokens: OAuth2Tokens, for key: OAuth2TokenKey, at stamp: Int64) {
        state.withLock { state in
            guard state.stamp == stamp, !state.isClosed else { return }
            if state.tokens.count >= Self.capacity { state.tokens.removeAll() }
            state.tokens.put(tokens, under: key)
        }
    }

    /// Empties the cache, for good.
    func close() { state.withLock { $0 = State(isClosed: true) } }

    /// The number of cached tokens.
    var count: Int { state.withLock { $0.tokens.count } }
}
