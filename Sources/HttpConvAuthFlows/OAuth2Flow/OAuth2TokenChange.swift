/// A change of stored tokens.
public struct OAuth2TokenChange: Hashable, Sendable {
    /// The kind of a change.
    public enum Kind: String, Hashable, Sendable {
        /// A grant brought tokens.
        case granted
        /// A refresh brought new tokens.
        case refreshed
        /// The tokens were removed, on request or because the server no longer accepts them.
        case removed
    }

    /// The kind of the change.
    public let kind: Kind
    /// The key of the tokens; nil: all of them.
    public let key: OAuth2TokenKey?
}
