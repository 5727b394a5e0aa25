import HTTPTypes
public import HttpConversation
public import NIOCore

/// HTTP over TCP and TLS on SwiftNIO. Uses HTTP/2 if the server speaks it, with many exchanges on one connection; else
/// HTTP/1.1 with a keep-alive pool and one exchange at a time per connection.
///
/// Idle connections close after ``Configuration/idleConnectionTimeout``; call ``shutdown()`` to close them at once.
public final class NIOTransport: HTTPTransport {
    /// The settings of this transport.
    public let configuration: Configuration

    let tls: TLSContextCache
    private let refused: RefusedServer
    let pool: ConnectionPool
    /// Servers that asked for HTTP/1.1 (RFC 9113 §7).
    private let http1Origins = RecentSet<Origin>(atLeast: 1000)
    /// Servers that asked for a certificate after they had seen a request.
    private let renegotiating = RecentSet<PoolKey>(atLeast: 64)
    private let misdirecting = MisdirectingServers()
    private let expansionLimit: ExpansionLimit

    /// Creates a transport with its own pool.
    ///
    /// - Parameters:
    ///   - configuration: the settings for all its requests
    ///   - group: the event loops to run on; nil uses half of the process-wide ones
    public init(configuration: Configuration = Configuration(), group: (any EventLoopGroup)? = nil) {
        var configuration = configuration
        configuration.maximumHeadBytes = min(max(0, configuration.maximumHeadBytes), 1 << 30)
        self.configuration = configuration
        expansionLimit = ExpansionLimit(
            factor: configuration.maximumExpansion, allowance: configuration.expansionAllowance)
        tls = TLSContextCache(configuration.tls)
        let connector = Connector(
            loops: group.map { ConnectionLoops($0) } ?? .shared, configuration: configuration, tls: tls,
            proxyTLS: configuration.proxyTLS.map { TLSContextCache($0) } ?? tls)
        pool = ConnectionPool(configuration: configuration, connector: connector)
        refused = RefusedServer(CertificateDiagnosis(connector: connector, tls: tls))
    }

    public var capabilities: TransportCapabilities {
        [
            .streamingRequests, .streamingResponses, .clientCertificates, .serverTrust, .proxies, .hostField, .upgrades,
            .connectionOwners,
        ]
    }

    /// Sends one request; see ``/HttpConversation/HTTPTransport/send(_:)``.
    ///
    /// A request is retried once on a new connection if it failed on a reused one and the server cannot have acted on
    /// it (RFC 9112 §9.3.1), also after a 408 (RFC 9110 §15.5.9), or if the server says that it was misdirected (RFC
    /// 9110 §15.5.20), which ends the old connection. If the server says so on the new one, too, its requests are not
    /// retried for ten seconds. A request that an HTTP/2 server says it has not processed is retried up to five times
    /// (RFC 9113 §8.7).
    public func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        let key = try poolKey(request)
        if key.renegotiates { try await askForIdentity(key) }
        let payload: WireRequest.Payload
        if let body = request.body {
            payload = try await request.options.upgrade == nil ? Self.payload(body) : .streamed(body.open())
        } else {
            payload = .none
        }
        return try await send(WireRequest(request, key: key, payload: payload, configuration: configuration))
    }

    private func send(_ request: WireRequest) async throws(ConversationError) -> TransportResponse {
        var repetition = Repetition(request)
        while true {
            let exchange = TransportExchange(
                repetition.request, needsFreshConnection: repetition.needsFreshConnection,
                since: repetition.takeStart(), pool: pool)
            switch await exchange.run() {
            case .head(let head, let whole):
                if head.status == .misdirectedRequest, repeatsMisdirected(exchange, &repetition) { continue }
                if head.status == .requestTimeout, repeatsTimedOut(exchange, head, &repetition) { continue }
                var response = try ResponseBuilder(request: repetition.request, expansionLimit: expansionLimit).build(
                    head, whole, exchange)
                guard LateClientCertificate.mayBeWanted(by: response, to: repetition.request),
                    await LateClientCertificate.isWanted(by: response)
                else {
                    response.connection = exchange.facts?.report
                    response.repetitions = repetition.reasons
                    return response
                }
                response.body.cancel()
                try await renegotiate(&repetition)
            case .failure(let error):
                if let answer = error.underlyingError as? TunnelAnswer {
                    return TransportResponse(
                        head: answer.head, body: ResponseBody(bytes: []), version: answer.version, isFromProxy: true)
                }
                try repetition.countRefusal(error)
                let key = try await refused.next(after: error, repetition.request.key, within: exchange.timeToConnect)
                repetition.connect(over: key, since: exchange.waitStart)
                try await prepareTLS(key)
            case .retryOnFreshConnection(let error): try repetition.useFreshConnection(after: error)
            case .retryUnprocessed(let error): try repetition.countUnprocessed(error)
            case .retryOverHTTP1(let error):
                try repetition.useHTTP1(after: error)
                http1Origins.insert(repetition.request.origin)
                try await prepareTLS(repetition.request.key)
            case .retryRenegotiating(let error):
                if repetition.request.key.renegotiates { throw error }
                guard repetition.request.isReplayable else {
                    // The next request begins on such a connection.
                    renegotiating.insert(repetition.request.renegotiating().key)
                    throw error
                }
                try await renegotiate(&repetition)
            case .retryWithoutExpect: repetition.leaveOutExpectation()
            }
        }
    }

    /// Repeats a request on a fresh connection, because its server said that the connection was not for it.
    private func repeatsMisdirected(_ exchange: TransportExchange, _ repetition: inout Repetition) -> Bool {
        let key = repetition.request.key
        // Another connection would not help.
        if exchange.needsFreshConnection { misdirecting.insert(key) }
        guard !misdirecting.contains(key) else { return false }
        // The connection is given up even if this request cannot be repeated: the next request would get it.
        exchange.dismissConnection()
        guard repetition.repeatsMisdirected() else { return false }
        exchange.cancel()
        return true
    }

    /// Repeats a request on a fresh connection, because its server was about to close the kept one when it arrived (RFC
    /// 9110 §15.5.9).
    private func repeatsTimedOut(
        _ exchange: TransportExchange, _ head: ResponseHead, _ repetition: inout Repetition
    ) -> Bool {
        guard exchange.isReused, head.version != .http2, head.hasConnectionOption("close"),
            repetition.repeatsTimedOut()
        else { return false }
        exchange.cancel()
        return true
    }

    private func renegotiate(_ repetition: inout Repetition) async throws(ConversationError) {
        repetition.renegotiate()
        renegotiating.insert(repetition.request.key)
        try await prepareTLS(repetition.request.key)
    }

    private func prepareTLS(_ key: PoolKey) async throws(ConversationError) {
        if key.renegotiates { try await askForIdentity(key) }
        try await tls.prepare(for: key)
    }

    /// Asks for the identity of connections that have to have it beforehand. Here no lock or connection is held, and
    /// cancelling the task ends the question.
    private func askForIdentity(_ key: PoolKey) async throws(ConversationError) {
        _ = try await key.identity?.identity()
    }

    private func poolKey(_ request: TransportRequest) throws(ConversationError) -> PoolKey {
        let origin = request.target.origin
        if request.method == .connect { throw Self.ownTunnel(origin) }
        let route = request.options.proxy
        let address = try configuration.addresses.address(for: origin, through: route?.server)
        guard origin.scheme == .https else {
            var key = PoolKey(
                origin: origin, route: route, address: address, owner: request.options.connectionOwner)
            // A proxy that reads the request would answer the change itself (RFC 6455 §4.1).
            key.isTunnelled = route != nil && request.options.upgrade != nil
            if key.isAbsoluteForm, request.options.hostField != nil { throw Self.foreignHost(origin) }
            return key
        }
        let isHTTP2 =
            configuration.newestVersion.major >= 2 && !http1Origins.contains(origin) && request.options.upgrade == nil
        let wanted = PoolKey(
            origin: origin, protocols: isHTTP2 ? .http2OrHTTP1 : .http1, identity: request.options.clientIdentity,
            trust: request.options.serverTrust.map {
                ServerJudgement($0, for: origin, isVerified: configuration.tls.verifiesCertificates)
            }, route: route, address: address, owner: request.options.connectionOwner)
        let key = wanted.trust?.keys == nil ? wanted : refused.first(wanted)
        guard key.identity != nil, !renegotiating.isEmpty else { return key }
        let other = key.renegotiating()
        return renegotiating.contains(other) ? other : key
    }

    /// The server would take what follows the request for another protocol (RFC 9110 §9.3.6).
    private static func ownTunnel(_ origin: Origin) -> ConversationError {
        ConversationError(
            .invalidRequest,
            "The method CONNECT cannot be sent to \(origin): its connection would be a tunnel afterwards. Set a proxy, whose tunnels are made as they are needed."
        )
    }

    /// A proxy replaces the `Host` field (RFC 9112 §3.2.2), or connects to the server that it names.
    private static func foreignHost(_ origin: Origin) -> ConversationError {
        ConversationError(
            .invalidConfiguration,
            "A proxy on the way to \(origin) reads the request, and goes by its URL or by its Host: another Host than the URL's cannot be sent through it. Leave out one of the two."
        )
    }

    /// Closes idle connections and refuses new exchanges; running ones have ``Configuration/shutdownGrace`` to finish.
    public func shutdown() async {
        await pool.shutDown(grace: TimeAmount(configuration.shutdownGrace))
    }

    private static func payload(_ body: RequestBody) async throws(ConversationError) -> WireRequest.Payload {
        if case .bytes(let bytes) = body.kind, bytes.count <= RequestBodyStream.pieceSize { return .small(bytes) }
        let opened = try await body.open()
        if opened.length == 0, case .source = body.kind { return .small([]) }
        return .streamed(opened)
    }
}
