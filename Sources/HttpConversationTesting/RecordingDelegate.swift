public import Foundation
public import HTTPTypes
public import HttpConversation
import Synchronization

/// Records what a delegate is told, and decides as a test says.
public struct RecordingDelegate: ConversationDelegate {
    /// What a delegate was told or asked.
    public enum Call: Hashable, Sendable {
        /// Asked what becomes of the final response.
        case disposition(HTTPResponse.Status, expectedLength: Int?)
        /// Shown a piece of its body.
        case received([UInt8])
        /// Told how far the body is.
        case sent(UploadProgress)
        /// Asked for another body.
        case newBodyStream
        /// To a URL.
        case redirect(String)
        /// Told of a complete download.
        case downloaded(HTTPResponse.Status, to: URL?)
        /// Told of the end, with the final response.
        case completed(HTTPResponse.Status)
        /// Told of the end, with an error.
        case failed(ConversationError.Code)
    }

    /// Decides about a response; nil: no opinion.
    public var disposition: @Sendable (ConversationResponse) async -> ResponseDisposition? = { _ in nil }
    /// Gives another body.
    public var body: @Sendable () async throws -> RequestBodyStream? = { nil }
    /// Whether redirects are followed.
    public var follows = true
    /// The request that follows a redirect.
    public var next: @Sendable (ConversationRequest) async -> ConversationRequest? = { $0 }
    /// Waited for in every call, once it is recorded.
    public var wait: @Sendable (Call) async -> Void = { _ in }
    private let log = Log()

    /// A delegate that has no opinion.
    public init() {}

    /// What it was told, in order.
    public var calls: [Call] { log.calls.withLock { $0 } }
    /// What it was told of exchanges, in order: `GET http://h/`, `401 of http://h/`, and challenges with their spaces.
    public var hops: [String] { log.hops.withLock { $0 } }
    /// What its conversations took.
    public var metrics: [ConversationMetrics] { log.metrics.withLock { $0 } }
    /// The conversations that it was told of.
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
