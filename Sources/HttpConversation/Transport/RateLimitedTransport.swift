/// A transport that limits each exchange of another one to a number of bytes per second, in each direction. It counts
/// body bytes, without content codings if these are removed.
public struct RateLimitedTransport<Base: HTTPTransport>: HTTPTransport {
    private let base: Base
    private let makeBucket: @Sendable () -> TokenBucket

    /// - Parameters:
    ///   - base: the transport that does the work
    ///   - bytesPerSecond: at least 1
    ///   - clock: the clock for the pauses
    public init(_ base: Base, bytesPerSecond: Int, clock: some Clock<Duration> & Sendable = ContinuousClock()) {
        self.base = base
        makeBucket = { TokenBucket(bytesPerSecond: bytesPerSecond, clock: clock) }
    }

    public var capabilities: TransportCapabilities { base.capabilities }
    public var connectionPolicy: ConnectionPolicy { base.connectionPolicy }

    public func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        let slow = request.with(body: request.body?.rateLimited(by: makeBucket))
        let response = try await base.send(slow)
        var limited = TransportResponse(
            head: response.head, body: response.body.rateLimited(by: makeBucket()),
            reusedConnection: response.reusedConnection, version: response.version, isFromProxy: response.isFromProxy)
        limited.connection = response.connection
        limited.repetitions = response.repetitions
        return limited
    }

    public func shutdown() async { await base.shutdown() }
}
