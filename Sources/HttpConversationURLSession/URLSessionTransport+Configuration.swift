import HttpConversation

#if !canImport(FoundationNetworking)
public import Foundation
#endif

extension URLSessionTransport {
    /// The settings of a transport. Time limits, cookies and fields are in the manager's settings:
    /// ``/HttpConversation/HttpConversationManager/Configuration``.
    public struct Configuration: Sendable {
        /// The maximum number of connections to one host at the same time; further exchanges wait, which counts as
        /// connecting.
        public var maximumConnectionsPerHost = 64
        /// The maximum number of unread bytes of a response, on platforms where URLSession cannot be slowed down
        /// (Linux). An exchange with more of them ends in ``/HttpConversation/ConversationError/Code/tooLarge``. In
        /// bytes.
        public var maximumUnreadBytes = 64 << 20
        /// The size in bytes from which a body is sent with `Expect: 100-continue` (RFC 9110 §10.1.1); one-shot bodies
        /// always are.
        public var expectContinueThreshold = 1 << 20
        /// The maximum expansion of a compressed body of announced length, as a multiple of that length. Checked beyond
        /// ``expansionAllowance``. The error is ``/HttpConversation/ConversationError/Code/contentCoding``.
        public var maximumExpansion = 1100
        /// The bytes that a compressed body may always expand to, whatever its size.
        public var expansionAllowance = 10 << 20
        #if !canImport(FoundationNetworking)
        /// The networks that may be used.
        public var access = NetworkAccess()
        /// Whether an exchange waits for a network if there is none, instead of failing. Its time limit keeps running;
        /// its other limits are paused.
        public var waitsForConnectivity = false
        /// The proxies as a `CFNetwork` dictionary (`URLSessionConfiguration.connectionProxyDictionary`); nil: the
        /// system's settings.
        public var connectionProxies: [String: ProxyValue]?
        /// Called with the metrics of an exchange after its end, from any thread.
        public var onMetrics: (@Sendable (URLSessionTaskMetrics) -> Void)?
        #endif
        /// The time that running exchanges have to finish after ``URLSessionTransport/shutdown()``.
        public var shutdownGrace: Duration = .seconds(10)

        /// The defaults.
        public init() {}
    }
}
