internal import HttpConvAuthFlows
internal import Synchronization

/// Tokens as they were read, for as long as nobody has written to the vault since: tokens are asked for before every
/// request, and reading them costs several times what the request does.
final class TokenCache: Sendable {
    private struct State {
        var stamp: Int64 = 0
        var tokens: [OAuth2TokenKey: OAuth2Tokens] = [:]
        /// Whether the vault is closed: nothing is kept any more.
        var isClosed = false
    }

    /// More than this are not kept in memory.
    private static let capacity = 100
    private let state = Mutex(State())

    /// - Parameter stamp: the vault's before the question
    func tokens(for key: OAuth2TokenKey, at stamp: Int64) -> OAuth2Tokens? {
        state.withLock { state in
            if state.stamp != stamp { state = State(stamp: stamp, isClosed: state.isClosed) }
            return state.tokens[key]
        }
    }

    /// - Parameter stamp: the vault's before the tokens were read
    func keep(_ tokens: OAuth2Tokens, for key: OAuth2TokenKey, at stamp: Int64) {
        state.withLock { state in
            guard state.stamp == stamp, !state.isClosed else { return }
            if state.tokens.count >= Self.capacity { state.tokens.removeAll() }
            state.tokens[key] = tokens
        }
    }

    /// Lets go of what was read, for good.
    func close() { state.withLock { $0 = State(isClosed: true) } }

    /// How many tokens are in memory.
    var count: Int { state.withLock { $0.tokens.count } }
}
