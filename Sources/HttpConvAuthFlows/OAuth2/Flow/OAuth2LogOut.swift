/// What a log-out did. In each case there are no tokens for the URL any more.
public enum OAuth2LogOut: Hashable, Sendable {
    /// There were none.
    case nothingStored
    /// The server has ended them, too.
    case revoked
    /// A server has no revocation endpoint: whoever has a copy can use it until it expires.
    case notRevocable
}
