import Foundation
public import HTTPTypes
public import HttpConversation
import Synchronization

/// A transport whose answers a test writes down, without a network.
///
/// For tests of filters and of code that uses a manager. Anything about the wire is better tested against a server.
public final class ScriptedTransport: HTTPTransport {
    /// What a script answers to one request.
    public struct Answer: Sendable {
        let status: HTTPResponse.Status
        let fields: HTTPFields
        let body: [UInt8]

        /// An answer with a status, header fields and a body.
        public init(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:], body: String = "") {
            self.status = status
            self.fields = fields
            self.body = Array(body.utf8)
        }
    }

    private struct State {
        var requests: [TransportRequest] = []
        var bodies: [[UInt8]] = []
    }

    private let script: @Sendable (TransportRequest, _ index: Int) async throws(ConversationError) -> Answer
    private let readsBodies: Bool
    private let state = Mutex(State())

    /// - Parameters:
    ///   - readsBodies: whether request bodies are read before the script answers
    ///   - script: answers the request that came as number `index`, from 0
    public init(
        readsBodies: Bool = true,
        _ script: @escaping @Sendable (TransportRequest, _ index: Int) async throws(ConversationError) -> Answer
    ) {
        self.readsBodies = readsBodies
        self.script = script
    }

    public var capabilities: TransportCapabilities { [.streamingRequests, .streamingResponses] }

    /// The requests so far, in order of arrival.
    public var requests: [TransportRequest] { state.withLock { $0.requests } }
    /// The bodies that were read, in the order in which their reading ended.
    public var bodies: [[UInt8]] { state.withLock { $0.bodies } }

    public func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        let index = state.withLock { state in
            state.requests.append(request)
            return state.requests.count - 1
        }
        if readsBodies, let body = request.body {
            let bytes = try await Self.read(body)
            state.withLock { $0.bodies.append(bytes) }
        }
        let answer = try await script(request, index)
        if Task.isCancelled { throw ConversationError(.cancelled, "The exchange was cancelled.") }
        return TransportResponse(
            head: HTTPResponse(status: answer.status, headerFields: answer.fields),
            body: ResponseBody(bytes: answer.body))
    }

    public func shutdown() async {}

    private static func read(_ body: RequestBody) async throws(ConversationError) -> [UInt8] {
        do {
            switch body.kind {
            case .bytes(let bytes): return bytes
            case .file(let url): return try Array(Data(contentsOf: url))
            case .stream(_, let open):
                let stream = try await open()
                return try await readAll { try await stream.next() }
            case .oneShot(let body): return try await readAll { try await body.next() }
            }
        } catch {
            throw ConversationError(.bodyUnavailable, "The request body cannot be read.", underlyingError: error)
        }
    }

    private static func readAll(_ next: () async throws -> [UInt8]?) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let chunk = try await next() { bytes += chunk }
        return bytes
    }
}
