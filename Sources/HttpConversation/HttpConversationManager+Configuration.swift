public import Logging
public import UserInteractionMultiplexing

extension HttpConversationManager {
    /// What conversations of a manager run with. A value: changing it never touches a running conversation.
    public struct Configuration: Sendable {
        /// The identity. One that is set here, or given to the initialiser, stays: a configurator for another one is a
        /// problem. Else it is the first configurator's, or where that has none, one of its own.
        public var session: HttpSession {
            didSet {
                isSessionGiven = true
                // Those that took the old one for want of their own are the same person still.
                for configurator in joined where configurator.mayLeave(oldValue) { configurator.move(to: session) }
            }
        }
        /// Whether the session is somebody's choice, or known to others by now.
        var isSessionGiven: Bool
        /// The configurators that took this session for want of their own.
        var joined: [ConfiguratorSession] = []
        /// What is wrong with how this was configured, such as text that is no URL. Any makes conversations fail with
        /// ``ConversationError/Code/invalidConfiguration`` before anything is sent; ``HttpConversationManager/validate()``
        /// throws the first.
        public private(set) var problems: [ConversationError] = []
        /// Change requests on their way out.
        public var requestFilters = FilterList<any RequestFilter>()
        /// See redirects before they are followed.
        public var redirectFilters = FilterList<any RedirectFilter>()
        /// Answer challenges.
        public var challengeFilters = FilterList<any ChallengeFilter>()
        /// See responses before they become final.
        public var responseFilters = FilterList<any ResponseFilter>()
        /// Are told what happens.
        public var observers = FilterList<any ConversationObserver>()

        /// Looks into every conversation, beside the one that a conversation may have for itself.
        public var delegate: (any ConversationDelegate)?

        /// For whom cookies may be set, where the session's store has no list of its own. Without any they are host-only,
        /// whatever their `Domain` says (security rule S15). Managers of `HttpC` bring the platform's.
        public var publicSuffixes: PublicSuffixList?
        /// Whether the session's cookies are sent, and those of responses kept. Without, logins by cookies, such as SAML2,
        /// cannot succeed.
        public var handlesCookies = true
        /// What redirects may do.
        public var redirects = RedirectPolicy()
        /// What goes along to another origin.
        public var credentials = CredentialPolicy()
        /// Whether a password may go by Basic to an origin that has offered Digest in this session (security rule S10).
        /// Somebody on the way can replace one challenge by the other: only for servers that really mean both.
        public var allowsBasicAfterDigest = false
        /// How often a conversation may start over, repetitions counted.
        public var maximumAttempts = 10
        /// The largest body that `data(for:)` keeps in memory, in bytes.
        public var maximumBufferedBytes = 64 << 20
        /// The largest body of a final response, in bytes, both on the wire and without content codings. Reading a larger
        /// one fails with `tooLarge`, at once where its length is announced. Nil: no limit. Child conversations do not
        /// inherit it.
        public var maximumBodyBytes: Int?
        /// Which requests go through which proxy, also those of child conversations; what the environment says where
        /// nothing else does, as with curl. What is configured is used, or the request fails with
        /// ``ConversationError/Code/invalidConfiguration``, also where the transport knows no proxies
        /// (``TransportCapabilities/proxies``; security rule S25).
        public var proxies = ProxySettings.environment
        /// What `Host` says to some servers instead of their names, also in child conversations. It is sent to the very
        /// origin that it is for, whatever leads there, and to no other; nothing is decided by it. A redirect that names
        /// the value of the field goes to the server of that name. The transport has to be able to send it
        /// (``TransportCapabilities/hostField``).
        public var hostFields: [Origin: HostField] = [:]
        /// For connecting, name resolution and TLS handshake.
        public var connectTimeout: Duration = .seconds(30)
        /// Between two pieces of progress while an exchange waits for the peer.
        public var idleTimeout: Duration = .seconds(60)
        /// All exchanges of a conversation together; time spent waiting for a person does not count. Nil: no limit.
        public var networkTimeout: Duration?
        /// How long a person may take to answer one question. Nil: no limit.
        public var interactionTimeout: Duration? = .seconds(600)
        /// How long the answer to a server that asks for a client certificate may take: the server waits, too. Connecting
        /// takes no longer for it by the other limits.
        public var clientCertificateTimeout: Duration = .seconds(60)
        /// Keeps what is asked of a person to one screen at a time.
        public var multiplexer = UserInteractionMultiplexer.shared
        /// How long a response filter's look into a body waits for more of it.
        public var peekTimeout: Duration = .seconds(5)
        /// Whether gzip and deflate are asked for and undone.
        public var decompresses = true
        /// Measures time; a test gives its own.
        public var clock: any Clock<Duration> & Sendable = ContinuousClock()
        /// Receives static messages with metadata; never a secret.
        public var logger = Logger(label: "HttpConversation")

        /// A configuration without filters.
        ///
        /// - Parameter session: nil: that of the first configurator, else one of its own
        public init(session: HttpSession? = nil) {
            self.session = session ?? HttpSession()
            isSessionGiven = session != nil
        }

        /// A configuration with what some configurators add, in order.
        public init(applying configurators: [any ManagerConfigurator]) {
            self.init()
            for configurator in configurators { apply(configurator) }
        }

        /// Lets a configurator add what it stands for.
        public mutating func apply(_ configurator: some ManagerConfigurator) { configurator.configure(&self) }

        /// Notes that something is wrong with how this was configured, for configurators, which do not throw.
        public mutating func report(_ problem: ConversationError) {
            if !problems.contains(where: { $0.message == problem.message }) { problems.append(problem) }
        }

        /// The same ways to servers with a session of nobody: the filters that judge servers or answer proxies,
        /// proxies, time limits, `Host` fields and observers stay (security rule S28). Cookies, credentials, client
        /// certificates, other filters and the delegate do not.
        public func withoutPerson() -> Configuration {
            var copy = withoutFilters()
            copy.session = HttpSession()
            copy.challengeFilters = copy.challengeFilters.mapping { $0.part(in: [.serverTrust]) }
            return copy
        }

        /// For what a filter asks by itself: the same person with cookies and logins of its own. What belongs to
        /// connections is the same there: who answers in TLS handshakes, and who answers proxies.
        func withoutFilters() -> Configuration {
            var copy = self
            copy.joined = []
            copy.session = HttpSession(cookies: CookieStore(), for: session)
            copy.isSessionGiven = false
            copy.requestFilters = FilterList()
            copy.redirectFilters = FilterList()
            copy.challengeFilters = challengeFilters.mapping { $0.part(in: [.clientCertificate, .serverTrust]) }
            copy.responseFilters = FilterList()
            copy.maximumBodyBytes = nil
            copy.delegate = nil
            return copy
        }
    }
}
