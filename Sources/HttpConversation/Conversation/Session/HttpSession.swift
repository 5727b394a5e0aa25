import Synchronization

/// One person's session: cookies, learned protection spaces, cached credentials, and running questions.
///
/// Managers that share a session act for the same person. Nothing crosses sessions, though sessions may share a
/// transport (security rule S2). A server program gives each of its users a session.
public final class HttpSession: Sendable {
    /// The session's cookies. Sessions share a store only by explicit choice.
    public let cookies: CookieStore
    /// The credentials by protection space, with the servers' verdicts.
    package let credentials: CredentialStore
    /// The steps that conversations of this session share.
    package let steps: SessionSteps
    /// The client certificates by server.
    let identities: IdentityRounds
    /// Counts the logins that ended.
    package let epoch: SessionEpoch
    /// The authorization sources for tunnels.
    let proxySources: ProxyAuthorizationSources
    private let owner: HttpSession?
    /// The session with the logins for proxies: for a child conversation's session, or one for a login's pages, the
    /// conversation's own. Proxies are the same for all of them.
    package var forProxies: HttpSession { owner ?? self }
    private let flowStates = Mutex<[ObjectIdentifier: any Sendable]>([:])

    /// Creates an empty session.
    ///
    /// - Parameter cookies: a store, for example one filled from a snapshot
    public convenience init(cookies: CookieStore = CookieStore()) {
        self.init(cookies: cookies, digestOrigins: DigestOrigins(), identities: IdentityRounds())
    }

    /// Creates a session for the pages of another one's login, or for a filter's own requests: the same person, with
    /// separate cookies and logins. Client certificates are shared, because servers know the person by the connection.
    package convenience init(cookies: CookieStore, for other: HttpSession) {
        self.init(
            cookies: cookies, digestOrigins: other.credentials.digestOrigins, identities: other.identities,
            owner: other.forProxies)
    }

    /// Creates a session that shares only the logins for proxies with another one.
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

    /// Creates a session that shares another one's person and logins, for a request whose cookies are kept elsewhere.
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

    /// Adopts the cookies of a login that was done elsewhere, such as in a web view: they are sent from now on, and
    /// answers to earlier requests do not overwrite them.
    ///
    /// They count as set over https. For a login over http there is ``handOver(_:from:)``.
    public func handOver(_ cookies: [Cookie]) { _ = self.cookies.handOver(cookies, advancing: epoch.advance) }

    /// Adopts the cookies of a login at certain servers, as ``handOver(_:)`` does. A cookie that no https server of
    /// them would get counts as set over http, and replaces no Secure cookie (RFC 6265bis §5.7; security rule S15).
    ///
    /// - Parameters:
    ///   - cookies: the cookies of the login
    ///   - targets: URLs of the login's servers
    public func handOver(_ cookies: [Cookie], from targets: [TargetURL]) {
        _ = self.cookies.handOver(cookies, from: targets, advancing: epoch.advance)
    }

    /// The state of a flow for the whole session, by its type, such as a cache of tokens; created by the first call.
    /// State of one conversation belongs in its ``ConversationContext``.
    public func flowState<State: AnyObject & Sendable>(_ make: () -> State) -> State {
        flowStates.withLock { states in
            if let state = states[ObjectIdentifier(State.self)] as? State { return state }
            let state = make()
            states[ObjectIdentifier(State.self)] = state
            return state
        }
    }

    /// Removes every credential, client certificate and learned protection space; cookies stay.
    public func removeCredentials() {
        credentials.removeAll()
        identities.removeAll()
        proxySources.removeAll()
        steps.forgetOutcomes()
    }
}
