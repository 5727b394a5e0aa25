/// One identity: cookies, learned protection spaces, cached credentials, and the questions that are being asked.
///
/// Managers that share a session are the same person; nothing crosses sessions, though sessions may share a transport
/// (security rule S2). A server program gives each of its users a session.
public final class HttpSession: Sendable {
    /// The session's cookies. Stores can be shared between sessions only by choice.
    public let cookies: CookieStore
    /// Credentials by protection space, and what is known about them.
    package let credentials: CredentialStore
    /// Questions to providers and other work that conversations of this session share.
    package let flights: FlightBoard

    /// An empty session.
    ///
    /// - Parameter cookies: a store, for example one filled from a snapshot
    public init(cookies: CookieStore = CookieStore()) {
        self.cookies = cookies
        let epoch = SessionEpoch()
        credentials = CredentialStore(epoch: epoch)
        flights = FlightBoard(epoch: epoch)
    }

    /// Forgets every credential and learned protection space; cookies stay.
    public func removeCredentials() {
        credentials.removeAll()
        flights.forgetResults()
    }
}
