import HttpConvPlatform
import Synchronization

/// The delegates of one conversation: its own, then its manager's.
final class Delegates: Sendable {
    private let all: [any ConversationDelegate]
    /// The number of times that a body was started to be sent.
    private let passes = Atomic(0)
    private let metrics = Mutex(ConversationMetrics())
    private let stopwatch: Stopwatch

    /// Nil without delegates, which then cost a conversation nothing.
    init?(
        _ own: (any ConversationDelegate)?, _ managers: (any ConversationDelegate)?,
        clock: any Clock<Duration> & Sendable
    ) {
        guard own != nil || managers != nil else { return nil }
        all = [own, managers].compactMap { $0 }
        stopwatch = Stopwatch(any: clock)
    }

    /// Counts another pass of sending the body.
    func beginPass() -> Int { passes.add(1, ordering: .relaxed).newValue }

    // MARK: Exchanges

    func willSend(_ request: ConversationRequest) async {
        for delegate in all { await delegate.willSend(request) }
        let start = stopwatch.elapsed
        metrics.withLock {
            $0.exchanges.append(.init(method: request.method, target: request.target, start: start))
        }
    }

    func received(
        _ response: TransportResponse, to request: ConversationRequest, _ challenges: [AuthenticationChallenge]
    ) async {
        let time = stopwatch.elapsed
        metrics.withLock { metrics in
            guard let last = metrics.exchanges.indices.last else { return }
            metrics.exchanges[last].answered = time
            metrics.exchanges[last].status = response.head.status
            metrics.exchanges[last].version = response.version
            metrics.exchanges[last].reusedConnection = response.reusedConnection
            metrics.exchanges[last].connection = response.connection
        }
        for delegate in all {
            await delegate.received(response.head, to: request)
            for challenge in challenges { await delegate.challenged(by: challenge) }
        }
    }

    func challenged(by challenge: AuthenticationChallenge) async {
        for delegate in all { await delegate.challenged(by: challenge) }
    }

    // MARK: The request

    /// Gives a used one-shot body another stream to read from.
    ///
    /// - Throws: ``ConversationError/Code/bodyUnavailable`` if a delegate fails
    func renew(_ body: OneShotBody, in context: ConversationContext) async throws(ConversationError) {
        if let stream = try await newBodyStream(in: context) { body.renew(with: stream) }
    }

    func newBodyStream(in context: ConversationContext) async throws(ConversationError) -> RequestBodyStream? {
        for delegate in all {
            do {
                if let stream = try await delegate.newBodyStream(in: context) { return stream }
            } catch {
                throw .wrapping(error, as: .bodyUnavailable, "The delegate has no other stream of the request's body.")
            }
        }
        return nil
    }

    /// Sends a body, and reports its progress. Reports come from a transport's thread, which never waits for a
    /// delegate.
    func sending(
        _ body: RequestBody, in context: ConversationContext,
        _ send: (RequestBody) async throws(ConversationError) -> TransportResponse
    ) async throws(ConversationError) -> TransportResponse {
        let (reports, continuation) = AsyncStream<UploadProgress>.makeStream(bufferingPolicy: .bufferingNewest(1))
        async let told: Void = tell(reports, in: context)
        let watched = body.onProgress { [counter = PassCounter(self), before = body.progress] sent, total in
            before?(sent, total)
            continuation.yield(UploadProgress(sent: sent, total: total, pass: counter.pass(at: sent)))
        }
        let result: Result<TransportResponse, ConversationError>
        do throws(ConversationError) { result = .success(try await send(watched)) } catch { result = .failure(error) }
        continuation.finish()
        await told
        return try result.get()
    }

    private func tell(_ reports: AsyncStream<UploadProgress>, in context: ConversationContext) async {
        for await progress in reports {
            for delegate in all { await delegate.sent(progress, in: context) }
        }
    }

    /// The request that follows a redirect; nil: none.
    func request(_ proposed: ConversationRequest, following redirect: Redirect) async -> ConversationRequest? {
        var request = proposed
        for delegate in all {
            guard let next = await delegate.request(request, following: redirect) else { return nil }
            request = next
        }
        return request
    }

    // MARK: The response

    func disposition(of response: ConversationResponse, expectedLength: Int?) async -> ResponseDisposition {
        for delegate in all {
            if let disposition = await delegate.disposition(of: response, expectedLength: expectedLength) {
                return disposition
            }
        }
        return .allow
    }

    func received(_ chunk: [UInt8], in context: ConversationContext) async {
        metrics.withLock { $0.bytesReceived += chunk.count }
        for delegate in all { await delegate.received(chunk, in: context) }
    }

    func downloaded(_ response: ConversationResponse, to file: URL?) async {
        for delegate in all { await delegate.downloaded(response, to: file) }
    }

    func completed(
        _ result: Result<ConversationResponse, ConversationError>, in context: ConversationContext
    ) async {
        let end = stopwatch.elapsed
        let metrics = metrics.withLock { metrics in
            metrics.duration = end
            return metrics
        }
        for delegate in all {
            await delegate.collected(metrics, in: context)
            await delegate.completed(result, in: context)
        }
    }
}

/// Counts the passes of sending a body. A transport that retries reports from zero again.
final class PassCounter: Sendable {
    private let state = Mutex((sent: 0, pass: 0))
    /// The passes of all exchanges in the conversation.
    private let passes: Delegates

    init(_ passes: Delegates) { self.passes = passes }

    func pass(at sent: Int) -> Int {
        state.withLock { state in
            if state.pass == 0 || sent <= state.sent { state.pass = passes.beginPass() }
            state.sent = sent
            return state.pass
        }
    }
}
