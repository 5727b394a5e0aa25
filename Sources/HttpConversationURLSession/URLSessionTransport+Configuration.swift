import HttpConversation

#if !canImport(FoundationNetworking)
public import Foundation
#endif

extension URLSessionTransport {
    /// What a transport runs with. Time limits, cookies and fields are the manager's:
    /// ``/HttpConversation/HttpConversationManager/Configuration``.
    public struct Configuration: Sendable {
        /// Connections to one host at the same time; further exchanges wait for one, which counts as connecting.
        public var maximumConnectionsPerHost = 64
        /// Where URLSession cannot be slowed down (Linux) so many bytes of a response wait for whoever reads it; an exchange
        /// with more of them ends in ``/HttpConversation/ConversationError/Code/tooLarge``. In bytes.
        public var maximumUnreadBytes = 64 << 20
        /// From this many bytes on, and for one-shot bodies, `Expect: 100-continue` is sent (RFC 9110 §10.1.1).
        public var expectContinueThreshold = 1 << 20
        /// A compressed body whose length is announced may expand to this many times of it, checked beyond
        /// ``expansionAllowance``. More is ``/HttpConversation/ConversationError/Code/contentCoding``.
        public var maximumExpansion = 1100
        /// To so many bytes a compressed body may expand whatever its size.
        public var expansionAllowance = 10 << 20
        #if !canImport(FoundationNetworking)
        /// Which networks may be used.
        public var access = NetworkAccess()
        /// Whether an exchange waits for a network where there is none, instead of failing. Its time limit goes on, the
        /// others wait with it.
        public var waitsForConnectivity = false
        /// The proxies, in the words of `CFNetwork` (`URLSessionConfiguration.connectionProxyDictionary`); nil: those of the
        /// system's settings.
        public var connectionProxies: [String: ProxyValue]?
        /// Told what an exchange cost, once it is over; from any thread.
        public var onMetrics: (@Sendable (URLSessionTaskMetrics) -> Void)?
        #endif
        /// How long running exchanges may go on after ``URLSessionTransport/shutdown()``.
        public var shutdownGrace: Duration = .seconds(10)

        /// The defaults.
        public init() {}
    }
}
