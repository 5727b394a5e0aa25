/// A transport that limits each exchange of another one to a number of bytes per second, in each direction. It counts
/// body bytes, without content codings if these are removed.
package struct RateLimitedTransport<Base: HTTPTransport>: HTTPTransport {
    private let base: Base
    private let makeBucket: @Sendable () -> TokenBucket

    /// - Parameter bytesPerSecond: at least 1
    package init(_ base: Base, bytesPerSecond: Int, clock: some Clock<Duration> & Sendable = ContinuousClock()) {
        self.base = base
        makeBucket = { TokenBucket(bytesPerSecond: bytesPerSecond, clock: clock) }
    }

    package var capabilities: TransportCapabilities { base.capabilities }
    package var connectionPolicy: ConnectionPolicy { base.connectionPolicy }

    package func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        let slow = TransportRequest(
            target: request.target, method: request.method, headerFields: request.headerFields,
            body: request.body?.limited(by: makeBucket), options: request.options)
        let response = try await base.send(slow)
        var limited = TransportResponse(
            head: response.head, body: response.body.limited(by: makeBucket()),
            reusedConnection: response.reusedConnection, version: response.version, isFromProxy: response.isFromProxy)
        limited.connection = response.connection
        limited.repetitions = response.repetitions
        return limited
    }

    package func shutdown() async { await base.shutdown() }
}
