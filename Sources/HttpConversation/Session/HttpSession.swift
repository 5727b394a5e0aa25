import Synchronization

/// One identity: cookies, learned protection spaces, cached credentials, and the questions that are being asked.
///
/// Managers that share a session are the same person; nothing crosses sessions, though sessions may share a transport
/// (security rule S2). A server program gives each of its users a session.
public final class HttpSession: Sendable {
    /// The session's cookies. Stores can be shared between sessions only by choice.
    public let cookies: CookieStore
    /// Credentials by protection space, and what is known about them.
    package let credentials: CredentialStore
    /// What conversations of this session have to have done, and share.
    package let steps: SessionSteps
    /// The client certificates that servers are shown.
    let identities: IdentityRounds
    /// Counts the logins that ended.
    package let epoch: SessionEpoch
    /// What speaks for its credentials where tunnels are made.
    let proxySources: ProxyAuthorizationSources
    private let owner: HttpSession?
    /// The session whose logins at proxies count: of a child conversation's session, or one for a login's pages, that of
    /// the conversation. A proxy is the same one, whatever goes through it.
    package var forProxies: HttpSession { owner ?? self }
    private let flowStates = Mutex<[ObjectIdentifier: any Sendable]>([:])

    /// An empty session.
    ///
    /// - Parameter cookies: a store, for example one filled from a snapshot
    public convenience init(cookies: CookieStore = CookieStore()) {
        self.init(cookies: cookies, digestOrigins: DigestOrigins(), identities: IdentityRounds())
    }

    /// A session for the pages of a login of another one, or a filter's own requests: the same person, with cookies and
    /// logins of its own. What servers know of the person by the connection is the same.
    package convenience init(cookies: CookieStore, for other: HttpSession) {
        self.init(
            cookies: cookies, digestOrigins: other.credentials.digestOrigins, identities: other.identities,
            owner: other.forProxies)
    }

    /// A session that has nothing in common with another one but the proxies on its way.
    package convenience init(proxiesOf other: HttpSession) {
        self.init(
            cookies: CookieStore(), digestOrigins: DigestOrigins(), identities: IdentityRounds(),
            owner: other.forProxies)
    }

    private convenience init(
        cookies: CookieStore, digestOrigins: DigestOrigins, identities: IdentityRounds, owner: HttpSession? = nil
    ) {
        let epoch = SessionEpoch()
        self.init(
            cookies: cookies, credentials: CredentialStore(epoch: epoch, digestOrigins: digestOrigins),
            steps: SessionSteps(epoch: epoch), identities: identities, epoch: epoch, owner: owner)
    }

    /// Another one's person and logins, for a request whose cookies somebody else keeps.
    package convenience init(cookies: CookieStore, sharing other: HttpSession) {
        self.init(
            cookies: cookies, credentials: other.credentials, steps: other.steps, identities: other.identities,
            epoch: other.epoch, owner: other.forProxies)
    }

    private init(
        cookies: CookieStore, credentials: CredentialStore, steps: SessionSteps, identities: IdentityRounds,
        epoch: SessionEpoch, owner: HttpSession?
    ) {
        self.cookies = cookies
        self.credentials = credentials
        self.steps = steps
        self.identities = identities
        self.epoch = epoch
        self.owner = owner
        proxySources = ProxyAuthorizationSources(credentials)
    }

    /// Takes over the cookies of a login that was done elsewhere, such as in a web view: from now on they are sent, and
    /// answers to requests that were sent before do not overwrite them.
    public func handOver(_ cookies: [Cookie]) { _ = self.cookies.handOver(cookies, advancing: epoch) }

    /// What a flow keeps for as long as the session lives, by its type, such as a cache of tokens; made at the first call.
    /// What belongs to one conversation is kept in its ``ConversationContext``.
    public func flowState<State: AnyObject & Sendable>(_ make: () -> State) -> State {
        flowStates.withLock { states in
            if let state = states[ObjectIdentifier(State.self)] as? State { return state }
            let state = make()
            states[ObjectIdentifier(State.self)] = state
            return state
        }
    }

    /// Forgets every credential, client certificate and learned protection space; cookies stay.
    public func removeCredentials() {
        credentials.removeAll()
        identities.removeAll()
        proxySources.removeAll()
        steps.forgetOutcomes()
    }
}
