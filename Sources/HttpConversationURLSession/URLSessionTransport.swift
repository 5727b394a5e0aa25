public import HttpConversation

/// HTTP over Foundation's URL loading system: the default of `HttpC` on Apple's platforms.
///
/// It performs single exchanges: URLSession's own redirects, cookies, cache, credentials and answers to 401 are off,
/// and conversations do this work. See <doc:HttpConversationURLSession> for Foundation's limits, above all on Linux.
public final class URLSessionTransport: HTTPTransport {
    /// The settings of this transport.
    public let configuration: Configuration
    private let sessions: SessionPool
    /// The transfers of a manager of a background configuration.
    let background: BackgroundTransfers?

    /// Creates a transport with its own sessions.
    public convenience init(configuration: Configuration = Configuration()) {
        self.init(configuration, background: nil)
    }

    init(_ configuration: Configuration, background: BackgroundTransfers?) {
        self.configuration = configuration
        sessions = SessionPool(configuration)
        self.background = background
    }

    init(sharing other: URLSessionTransport, configuration: Configuration) {
        self.configuration = configuration
        sessions = other.sessions
        background = other.background
    }

    /// On Apple's platforms everything except proxies, which are the system's; on Linux only streamed request bodies.
    public var capabilities: TransportCapabilities {
        #if canImport(FoundationNetworking)
        [.streamingRequests]
        #else
        [
            .streamingRequests, .streamingResponses, .clientCertificates, .serverTrust, .connectionOwners,
            .systemProxies,
        ]
        #endif
    }

    /// Sends one request; see ``/HttpConversation/HTTPTransport/send(_:)``.
    ///
    /// - Throws: the errors of every transport, and ``/HttpConversation/ConversationError/Code/invalidRequest`` for a
    ///   request that `URLRequest` cannot express: a body of a GET, `OPTIONS *`, dot segments in a path
    public func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        try refuseMissing(request)
        try await ShownIdentities.shared.check(request.options.clientIdentity, for: request.target.origin)
        let outgoing = try await OutgoingRequest(request, configuration)
        let exchange = URLExchange(outgoing, unreadLimit: configuration.maximumUnreadBytes)
        let response = try await exchange.run(in: sessions)
        do {
            return try ResponseBuilder(request: outgoing, configuration: configuration).build(response, exchange)
        } catch {
            // Further bytes on that connection cannot be trusted, and URLSession cannot close a single connection.
            if error.code == .malformedResponse { sessions.retire(outgoing) }
            throw error
        }
    }

    /// Refuses new exchanges and waits for running ones, at most ``Configuration/shutdownGrace``.
    public func shutdown() async { await sessions.shutDown(grace: configuration.shutdownGrace) }

    /// Refuses a request that needs a missing capability. A manager checks that when it is configured; other callers
    /// are told here.
    private func refuseMissing(_ request: TransportRequest) throws(ConversationError) {
        var needed: TransportCapabilities = []
        if request.options.clientIdentity != nil { needed.insert(.clientCertificates) }
        if request.options.serverTrust != nil { needed.insert(.serverTrust) }
        if request.options.proxy != nil { needed.insert(.proxies) }
        if request.options.hostField != nil { needed.insert(.hostField) }
        if request.options.connectionOwner != nil { needed.insert(.connectionOwners) }
        let missing = needed.subtracting(capabilities)
        guard missing.isEmpty else {
            throw ConversationError(
                .invalidConfiguration,
                "URLSession cannot do here what this exchange needs (\(missing)). Nothing was sent: use another transport."
            )
        }
        #if canImport(FoundationNetworking)
        try EnvironmentProxies.refuse(for: request.target)
        #endif
    }
}
