import HttpC

/// A transport with a short time limit for servers that are outside the target, and that were reached by a redirect
/// that does not look like a login's. After the limit the client gets that redirect.
struct ElsewhereTransport: HTTPTransport {
    /// The departure of the conversation that the task runs.
    @TaskLocal static var departure: RelayRedirectFilter.Departure?

    let base: any HTTPTransport
    let place: TargetDirectory
    /// The time that such a server may be silent.
    let silence: Duration

    var capabilities: TransportCapabilities { base.capabilities }
    var connectionPolicy: ConnectionPolicy { base.connectionPolicy }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        guard let redirect = Self.departure?.redirect, !redirect.leadsToLogin, !place.contains(request.target) else {
            return try await base.send(request)
        }
        var options = request.options
        options.idleTimeout = min(options.idleTimeout, silence)
        return try await base.send(
            TransportRequest(
                target: request.target, method: request.method, headerFields: request.headerFields,
                body: request.body, options: options))
    }

    func shutdown() async { await base.shutdown() }
}
