/// The result of a log-out. In each case no tokens for the URL are left here.
public enum OAuth2LogOut: Hashable, Sendable {
    /// No tokens were stored.
    case nothingStored
    /// The server has revoked them, too.
    case revoked
    /// A server has no revocation endpoint: a copy of the tokens works until it expires.
    case notRevocable
}
