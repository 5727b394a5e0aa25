public import Logging
public import UserInteractionMultiplexing

extension HttpConversationManager {
    /// What conversations of a manager run with. A value: changing it never touches a running conversation.
    public struct Configuration: Sendable {
        /// The identity. A manager has one of its own unless a configurator brings one.
        public var session: HttpSession
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

        /// For whom cookies may be set, where the session's store has no list of its own. Without any they are host-only,
        /// whatever their `Domain` says (security rule S15). Managers of `HttpC` bring the platform's.
        public var publicSuffixes: PublicSuffixList?
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
        /// For connecting, name resolution and TLS handshake.
        public var connectTimeout: Duration = .seconds(30)
        /// Between two pieces of progress while an exchange waits for the peer.
        public var idleTimeout: Duration = .seconds(60)
        /// All exchanges of a conversation together; time spent waiting for a person does not count. Nil: no limit.
        public var networkTimeout: Duration?
        /// How long a person may take to answer one question. Nil: no limit.
        public var interactionTimeout: Duration? = .seconds(600)
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

        /// A configuration without filters and with a session of its own.
        public init(session: HttpSession = HttpSession()) { self.session = session }

        /// Lets a configurator add what it stands for.
        public mutating func apply(_ configurator: some ManagerConfigurator) { configurator.configure(&self) }

        func withoutFilters() -> Configuration {
            var copy = self
            copy.session = HttpSession()
            copy.requestFilters = FilterList()
            copy.redirectFilters = FilterList()
            copy.challengeFilters = FilterList()
            copy.responseFilters = FilterList()
            copy.maximumBodyBytes = nil
            return copy
        }
    }
}
