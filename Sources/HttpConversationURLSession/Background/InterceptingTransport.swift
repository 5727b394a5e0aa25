import Foundation
import HTTPTypes
import HttpConversation
import Synchronization

/// Keeps the first request of a conversation, complete as it would be sent. Requests of its filters, such as one for a
/// token, are performed.
final class InterceptingTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let kept = Mutex<TransportRequest?>(nil)
    private let mark = UUID().uuidString

    init(_ base: any HTTPTransport) { self.base = base }

    /// Marks the conversation's own exchanges. Requests of its filters are not marked, even if they have the same
    /// filters. The mark is never sent.
    var filter: some RequestFilter { Marker(mark: mark) }

    /// The request that was kept.
    var request: TransportRequest? { kept.withLock { $0 } }

    var capabilities: TransportCapabilities { base.capabilities }
    var connectionPolicy: ConnectionPolicy { base.connectionPolicy }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        guard request.headerFields[Marker.name] == mark else { return try await base.send(request) }
        var fields = request.headerFields
        fields[Marker.name] = nil
        let clean = TransportRequest(
            target: request.target, method: request.method, headerFields: fields, body: request.body,
            options: request.options)
        kept.withLock { $0 = $0 ?? clean }
        throw ConversationError(.cancelled, "The request is for a background session.")
    }

    func shutdown() async { await base.shutdown() }

    private struct Marker: RequestFilter {
        let mark: String

        // swift-format-ignore: NeverForceUnwrap
        static let name = HTTPField.Name("HttpConversation-Mark")!

        func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
            if context.parent == nil { request.headerFields[Self.name] = mark }
        }
    }
}
