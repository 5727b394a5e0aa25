import HttpConvPlatform
import Synchronization

/// The delegates of one conversation: its own, then its manager's.
final class Delegates: Sendable {
    private let all: [any ConversationDelegate]
    /// The number of times that a body was started to be sent.
    private let passes = Atomic(0)
    private let metrics = Mutex(ConversationMetrics())
    private let upload = Mutex(Upload())
    private let stopwatch: Stopwatch

    /// The reports about the request's body.
    private struct Upload {
        /// The counter of the exchange whose body may be on its way; nil: none. It is not held, because it holds the
        /// delegates.
        var counter: ObjectIdentifier?
        /// Whether the last report was about the last byte.
        var isComplete = false
        /// Takes reports while the conversation waits for the server.
        var reports: AsyncStream<UploadProgress>.Continuation?
        /// The newest report that came at another time.
        var missed: UploadProgress?
    }

    init(_ all: [any ConversationDelegate], clock: any Clock<Duration> & Sendable) {
        self.all = all
        stopwatch = Stopwatch(any: clock)
    }

    /// Counts another pass of sending the body.
    func beginPass() -> Int { passes.add(1, ordering: .relaxed).newValue }

    // MARK: Exchanges

    func willSend(_ request: ConversationRequest) async {
        let missed = upload.withLock { upload in
            upload.counter = nil
            return upload.missed.take()
        }
        // It belongs to the exchange before.
        if let missed, let context = request.context { await tell(missed, in: context) }
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

    /// Sends a body, and reports its progress.
    func sending(
        _ body: RequestBody, in context: ConversationContext,
        _ send: (RequestBody) async throws(ConversationError) -> TransportResponse
    ) async throws(ConversationError) -> TransportResponse {
        let counter = PassCounter(self)
        upload.withLock {
            $0.counter = ObjectIdentifier(counter)
            $0.isComplete = body.length == 0
        }
        let watched = body.onProgress { [before = body.progress] sent, total in
            before?(sent, total)
            self.note(sent, of: total, counter)
        }
        var goesOn = false
        defer { if !goesOn { upload.withLock { $0.counter = nil } } }
        let response = try await reportingUpload(in: context) { () async throws(ConversationError) in
            try await send(watched)
        }
        // A server that accepts the body may answer before it has all of it.
        goesOn = response.head.status.kind == .successful
        return response
    }

    /// Whether there is or may be something to report about the request's body.
    var isUploading: Bool { upload.withLock { $0.counter != nil && !$0.isComplete || $0.missed != nil } }

    /// Waits for the server, and reports meanwhile how much of the request's body was sent. Reports come from a
    /// transport's thread, which never waits for a delegate.
    func reportingUpload<Value: Sendable>(
        in context: ConversationContext, _ wait: () async throws(ConversationError) -> Value
    ) async throws(ConversationError) -> Value {
        if let missed = upload.withLock({ $0.missed.take() }) { await tell(missed, in: context) }
        let (reports, continuation) = AsyncStream<UploadProgress>.makeStream(bufferingPolicy: .bufferingNewest(1))
        upload.withLock { $0.reports = continuation }
        async let told: Void = tell(reports, in: context)
        let result: Result<Value, ConversationError>
        do throws(ConversationError) { result = .success(try await wait()) } catch { result = .failure(error) }
        upload.withLock { $0.reports = nil }
        continuation.finish()
        await told
        return try result.get()
    }

    private func note(_ sent: Int, of total: Int?, _ counter: PassCounter) {
        upload.withLock { upload in
            // An exchange that has ended may report late.
            guard upload.counter == ObjectIdentifier(counter) else { return }
            let progress = UploadProgress(sent: sent, total: total, pass: counter.pass(at: sent))
            upload.isComplete = sent == total
            if let reports = upload.reports { reports.yield(progress) } else { upload.missed = progress }
        }
    }

    private func tell(_ progress: UploadProgress, in context: ConversationContext) async {
        for delegate in all { await delegate.sent(progress, in: context) }
    }

    private func tell(_ reports: AsyncStream<UploadProgress>, in context: ConversationContext) async {
        for await progress in reports { await tell(progress, in: context) }
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
