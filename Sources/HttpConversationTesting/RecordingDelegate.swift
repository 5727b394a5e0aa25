public import Foundation
public import HTTPTypes
public import HttpConversation
import Synchronization

/// Records the calls of a delegate, and decides as a test says.
public struct RecordingDelegate: ConversationDelegate {
    /// A call of the delegate.
    public enum Call: Hashable, Sendable {
        /// Asked for the disposition of the final response.
        case disposition(HTTPResponse.Status, expectedLength: Int?)
        /// Received a piece of its body.
        case received([UInt8])
        /// Told the progress of the request's body.
        case sent(UploadProgress)
        /// Asked for another body.
        case newBodyStream
        /// Asked about a redirect to a URL.
        case redirect(String)
        /// Told about a complete download.
        case downloaded(HTTPResponse.Status, to: URL?)
        /// Told about the end, with the final response.
        case completed(HTTPResponse.Status)
        /// Told about the end, with an error.
        case failed(ConversationError.Code)
    }

    /// The decision about a response; nil: no decision.
    public var disposition: @Sendable (ConversationResponse) async -> ResponseDisposition? = { _ in nil }
    /// The other body.
    public var body: @Sendable () async throws -> RequestBodyStream? = { nil }
    /// Whether to follow redirects.
    public var follows = true
    /// The request that follows a redirect.
    public var next: @Sendable (ConversationRequest) async -> ConversationRequest? = { $0 }
    /// Awaited in every call, after the call is recorded.
    public var wait: @Sendable (Call) async -> Void = { _ in }
    private let log = Log()

    /// A delegate that decides nothing.
    public init() {}

    /// The calls, in order.
    public var calls: [Call] { log.calls.withLock { $0 } }
    /// The exchanges, in order: `GET http://h/`, `401 of http://h/`, and challenges with their protection spaces.
    public var hops: [String] { log.hops.withLock { $0 } }
    /// The metrics of its conversations.
    public var metrics: [ConversationMetrics] { log.metrics.withLock { $0 } }
    /// The ids of its conversations.
    public var ids: Set<ConversationID> { log.ids.withLock { $0 } }

    public func disposition(of response: ConversationResponse, expectedLength: Int?) async -> ResponseDisposition? {
        await note(.disposition(response.status, expectedLength: expectedLength), response.id)
        return await disposition(response)
    }

    public func received(_ chunk: [UInt8], in context: ConversationContext) async {
        await note(.received(chunk), context.id)
    }

    public func sent(_ progress: UploadProgress, in context: ConversationContext) async {
        await note(.sent(progress), context.id)
    }

    public func newBodyStream(in context: ConversationContext) async throws -> RequestBodyStream? {
        await note(.newBodyStream, context.id)
        return try await body()
    }

    public func shouldFollow(_ redirect: Redirect) async -> Bool {
        await note(.redirect(redirect.destination?.absoluteString ?? redirect.location), redirect.context.id)
        return follows
    }

    public func request(
        _ proposed: ConversationRequest, following redirect: Redirect
    ) async -> ConversationRequest? {
        await shouldFollow(redirect) ? await next(proposed) : nil
    }

    public func willSend(_ request: ConversationRequest) async {
        log.hops.withLock { $0.append("\(request.method.rawValue) \(request.target.absoluteString)") }
    }

    public func received(_ response: HTTPResponse, to request: ConversationRequest) async {
        log.hops.withLock { $0.append("\(response.status.code) of \(request.target.absoluteString)") }
    }

    public func challenged(by challenge: AuthenticationChallenge) async {
        log.hops.withLock { $0.append("challenged: \(challenge.space)") }
    }

    public func collected(_ metrics: ConversationMetrics, in context: ConversationContext) async {
        log.metrics.withLock { $0.append(metrics) }
    }

    public func downloaded(_ response: ConversationResponse, to file: URL?) async {
        await note(.downloaded(response.status, to: file), response.id)
    }

    public func completed(
        _ result: Result<ConversationResponse, ConversationError>, in context: ConversationContext
    ) async {
        switch result {
        case .success(let response): await note(.completed(response.status), context.id)
        case .failure(let error): await note(.failed(error.code), context.id)
        }
    }

    private func note(_ call: Call, _ id: ConversationID) async {
        log.calls.withLock { $0.append(call) }
        log.ids.withLock { _ = $0.insert(id) }
        await wait(call)
    }

    private final class Log: Sendable {
        let calls = Mutex<[Call]>([])
        let ids = Mutex<Set<ConversationID>>([])
        let hops = Mutex<[String]>([])
        let metrics = Mutex<[ConversationMetrics]>([])
    }
}
