import HttpConversation

/// Counts the exchanges of a transport: each when it begins, and when its head has come.
struct CountedTransport: HTTPTransport {
    let transport: any HTTPTransport
    let executor: CountingExecutor

    var capabilities: TransportCapabilities { transport.capabilities }
    var connectionPolicy: ConnectionPolicy { transport.connectionPolicy }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        executor.note()
        defer { executor.note() }
        return try await transport.send(request)
    }

    func shutdown() async { await transport.shutdown() }
}
