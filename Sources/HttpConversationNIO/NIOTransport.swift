import HTTPTypes
public import HttpConversation
public import NIOCore
import NIOPosix

/// HTTP/1.1 over TCP and TLS on SwiftNIO: a keep-alive pool and one exchange at a time per connection.
///
/// Idle connections close by themselves after their time; call ``shutdown()`` to end them at once.
public final class NIOTransport: HTTPTransport {
    /// The settings of this transport.
    public let configuration: Configuration

    private let tls: TLSContextCache
    let pool: ConnectionPool
    private let expansionLimit: ExpansionLimit

    /// A transport with a pool of its own.
    ///
    /// - Parameter group: the event loops to run on; nil uses the process-wide ones
    public init(configuration: Configuration = Configuration(), group: (any EventLoopGroup)? = nil) {
        self.configuration = configuration
        expansionLimit = ExpansionLimit(
            factor: configuration.maximumExpansion, allowance: configuration.expansionAllowance)
        tls = TLSContextCache(configuration.tls)
        pool = ConnectionPool(
            configuration: configuration,
            connector: Connector(
                group: group ?? MultiThreadedEventLoopGroup.singleton, configuration: configuration, tls: tls))
    }

    public var capabilities: TransportCapabilities { [.streamingRequests, .streamingResponses] }

    /// Sends one request; see ``HTTPTransport/send(_:)``.
    ///
    /// A request that fails on a connection that had served before, and that cannot have been acted upon, is sent once
    /// more on a new one (RFC 9112 §9.3.1).
    public func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        if request.target.origin.scheme == .https, tls.ready == nil { try await tls.prepare() }
        var wireRequest: WireRequest
        if let body = request.body {
            wireRequest = WireRequest(request, payload: try await Self.payload(body), configuration: configuration)
        } else {
            wireRequest = WireRequest(request, payload: .none, configuration: configuration)
        }
        var needsFreshConnection = false
        while true {
            let exchange = TransportExchange(wireRequest, needsFreshConnection: needsFreshConnection, pool: pool)
            switch await exchange.run() {
            case .head(let head, let whole):
                return try ResponseBuilder(request: wireRequest, expansionLimit: expansionLimit).build(
                    head, whole, exchange)
            case .failure(let error): throw error
            case .retryOnFreshConnection(let error):
                if needsFreshConnection { throw error }
                needsFreshConnection = true
            case .retryWithoutExpect: wireRequest = wireRequest.withoutExpectation()
            }
        }
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
