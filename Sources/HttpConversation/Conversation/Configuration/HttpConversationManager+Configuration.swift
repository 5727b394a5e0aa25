public import Logging

extension HttpConversationManager {
    /// The configuration of a manager's conversations. A value: changing it never affects a running conversation.
    public struct Configuration: Sendable {
        /// The session. One that is set here, or given to the initialiser, is final: a configurator for another one is
        /// a problem. Otherwise it is the first configurator's, or a new one if that has none.
        public var session: HttpSession {
            didSet {
                isSessionGiven = true
                // Configurators that took the old session, having none of their own, still belong to the same person.
                for configurator in joined where configurator.canChange(from: oldValue) {
                    configurator.move(to: session)
                }
            }
        }
        /// Whether the session was given, or is in use elsewhere.
        var isSessionGiven: Bool
        /// The configurators that took this session, having none of their own.
        var joined: [ConfiguratorSession] = []
        /// The problems of the configuration, such as text that is not a URL. With any, conversations fail with
        /// ``ConversationError/Code/invalidConfiguration`` before anything is sent, and
        /// ``HttpConversationManager/validate()`` throws the first.
        public private(set) var problems: [ConversationError] = []
        /// The filters that change requests before they are sent.
        public var requestFilters = FilterList<any RequestFilter>()
        /// The filters that inspect redirects before they are followed.
        public var redirectFilters = FilterList<any RedirectFilter>()
        /// The filters that answer challenges.
        public var challengeFilters = FilterList<any ChallengeFilter>()
        /// The filters that inspect responses before they become final.
        public var responseFilters = FilterList<any ResponseFilter>()
        /// The observers of events.
        public var observers = FilterList<any ConversationObserver>()

        /// The delegate of every conversation, in addition to a conversation's own.
        public var delegate: (any ConversationDelegate)?

        /// The public suffix list for cookies, if the session's store has none. Without any, cookies are host-only,
        /// whatever their `Domain` says (security rule S15). Managers of `HttpC` use the platform's.
        public var publicSuffixes: PublicSuffixList?
        /// Whether the session's cookies are sent, and those of responses stored. If not, logins by cookies, such as
        /// SAML2, cannot succeed.
        public var handlesCookies = true
        /// The policy for redirects.
        public var redirects = RedirectPolicy()
        /// The policy for header fields that go to another origin.
        public var credentials = CredentialPolicy()
        /// Whether a password may be sent by Basic to an origin that has offered Digest in this session (security rule
        /// S10). An attacker on the way can replace one challenge by the other, so set it only for servers that really
        /// offer both.
        public var allowsBasicAfterDigest = false
        /// The maximum number of attempts of a conversation, including repetitions.
        public var maximumAttempts = 10
        /// The maximum size of a body that `data(for:)` keeps in memory, in bytes.
        public var maximumBufferedBytes = 64 << 20
        /// The maximum size of a final response's body in bytes, both on the wire and without content codings. Reading
        /// a larger one fails with `tooLarge`, at once if its length is announced. Nil: no limit. Child conversations
        /// do not inherit it.
        public var maximumBodyBytes: Int?
        /// The rules for proxies, also for child conversations. Defaults to the environment's, as with curl. A
        /// configured proxy is used, or the request fails with ``ConversationError/Code/invalidConfiguration``, even if
        /// the transport does not support proxies (``TransportCapabilities/proxies``; security rule S25).
        public var proxies = ProxySettings.environment
        /// The value of `Host` for some servers instead of their names, also in child conversations. Only the given
        /// origin gets it, and it affects nothing else. A redirect to the value goes to the server with that name. The
        /// transport has to support it (``TransportCapabilities/hostField``).
        public var hostFields: [Origin: HostField] = [:]
        /// The timeout for connecting, including name resolution and TLS handshake.
        public var connectTimeout: Duration = .seconds(30)
        /// The maximum time without progress while an exchange waits for the peer.
        public var idleTimeout: Duration = .seconds(60)
        /// The time limit for all exchanges of a conversation together, without the time spent waiting for a person.
        /// Nil: no limit.
        public var networkTimeout: Duration?
        /// The time limit for a person's answer to one question. Nil: no limit.
        public var interactionTimeout: Duration? = .seconds(600)
        /// The time limit for answering a server that asks for a client certificate: the server waits, too. The other
        /// time limits exclude this time.
        public var clientCertificateTimeout: Duration = .seconds(60)
        /// Keeps questions for a person to one screen at a time.
        public var multiplexer = UserInteractionMultiplexer.shared
        /// The maximum wait when a response filter peeks into a body.
        public var peekTimeout: Duration = .seconds(5)
        /// Whether gzip and deflate are requested and decoded.
        public var decompresses = true
        /// The clock; tests replace it.
        public var clock: any Clock<Duration> & Sendable = ContinuousClock()
        /// Receives static messages with metadata, never a secret.
        public var logger = Logger(label: "HttpConversation")

        /// Creates a configuration without filters.
        ///
        /// - Parameter session: nil: the first configurator's, else a new one
        public init(session: HttpSession? = nil) {
            self.session = session ?? HttpSession()
            isSessionGiven = session != nil
        }

        /// Creates a configuration from configurators, applied in order.
        public init(applying configurators: [any ManagerConfigurator]) {
            self.init()
            for configurator in configurators { apply(configurator) }
        }

        /// Applies a configurator.
        public mutating func apply(_ configurator: some ManagerConfigurator) { configurator.configure(&self) }

        /// Reports a problem of the configuration, for configurators, which do not throw.
        public mutating func report(_ problem: ConversationError) {
            if !problems.contains(where: { $0.message == problem.message }) { problems.append(problem) }
        }

        /// Limits the time of all exchanges, unless a shorter limit is set.
        package mutating func limitNetworkTime(to limit: Duration) {
            networkTimeout = min(networkTimeout ?? limit, limit)
        }

        /// A copy that uses the same network with an anonymous session. Filters that judge servers or answer proxies,
        /// proxies, time limits, `Host` fields and observers stay (security rule S28). Cookies, credentials, client
        /// certificates, other filters and the delegate do not.
        public func withoutPerson() -> Configuration {
            var copy = withoutFilters()
            copy.session = HttpSession()
            copy.challengeFilters = copy.challengeFilters.mapping { $0.part(in: [.serverTrust]) }
            return copy
        }

        /// A copy for a filter's own requests: the same person with separate cookies and logins. The filters for TLS
        /// handshakes and for proxies stay, because connections are the same.
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
