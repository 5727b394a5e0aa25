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
