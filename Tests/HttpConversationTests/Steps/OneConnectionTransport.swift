import HTTPTypes
import HttpConversation
import Synchronization

/// A transport with one connection and no queue: an exchange that begins before the last one is over fails.
final class OneConnectionTransport: HTTPTransport {
    typealias Script = @Sendable (TransportRequest) -> (head: HTTPResponse, endless: Bool)

    /// A body that has no end until it is cancelled.
    private final class EndlessBody: TransportBody {
        private let end = Gate()
        private let connection: Connection

        init(_ connection: Connection) { self.connection = connection }

        func next() async throws(ConversationError) -> [UInt8]? {
            do { try await end.wait() } catch {}
            throw ConversationError(.cancelled, "The exchange was cancelled.")
        }

        func cancel() {
            connection.free(cancelled: true)
            end.open()
        }
    }

    private final class Connection: Sendable {
        private let state = Mutex((isBusy: false, wasCancelled: false))

        var isBusy: Bool { state.withLock { $0.isBusy } }
        var wasCancelled: Bool { state.withLock { $0.wasCancelled } }

        /// Takes the connection. Returns whether it was free.
        func take() -> Bool {
            state.withLock { state in
                defer { state.isBusy = true }
                return !state.isBusy
            }
        }

        func free(cancelled: Bool) {
            state.withLock {
                $0.isBusy = false
                $0.wasCancelled = $0.wasCancelled || cancelled
            }
        }
    }

    private let connection = Connection()
    private let script: Script
    private let requested = Box<[String]>([])

    init(_ script: @escaping Script) { self.script = script }

    var capabilities: TransportCapabilities { [.streamingRequests, .streamingResponses] }
    var isBusy: Bool { connection.isBusy }
    var wasCancelled: Bool { connection.wasCancelled }
    /// The requested paths, in order.
    var paths: [String] { requested.value }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        requested.update { $0.append(String(request.target.path)) }
        guard connection.take() else { throw ConversationError(.timedOut, "The connection is not free.") }
        let answer = script(request)
        if answer.endless { return TransportResponse(head: answer.head, body: ResponseBody(EndlessBody(connection))) }
        connection.free(cancelled: false)
        return TransportResponse(head: answer.head, body: ResponseBody())
    }

    func shutdown() async {}
}
