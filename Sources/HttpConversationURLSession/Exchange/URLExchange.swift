import Foundation
import HttpConversation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request and its response, between the caller's task and a URLSession's. Also the response's body.
final class URLExchange: TransportBody, Sendable {
    fileprivate typealias Chunk = Result<[UInt8]?, ConversationError>

    fileprivate struct State {
        var caller: UnsafeContinuation<Result<HTTPURLResponse, ConversationError>, Never>?
        var reader: UnsafeContinuation<Chunk, Never>?
        var session: ExchangeSession?
        var task: URLSessionTask?
        var bytes: [UInt8] = []
        /// The result; nil while the exchange runs.
        var ending: Result<Void, ConversationError>?
        var times: ExchangeTimes
        var watch: Task<Void, Never>?
        var upload: UploadStream?
        var isPaused = false
    }

    /// The number of buffered bytes at which the task is suspended until the consumer has taken them, on platforms that
    /// support it.
    static let highWatermark = 256 << 10

    let request: OutgoingRequest
    private let unreadLimit: Int
    private let state: Mutex<State>

    init(_ request: OutgoingRequest, unreadLimit: Int) {
        self.request = request
        self.unreadLimit = unreadLimit
        state = Mutex(State(times: ExchangeTimes(request.options)))
    }

    // MARK: The caller's side

    /// Starts the exchange, and returns when the final response's head has arrived.
    func run(in pool: SessionPool) async throws(ConversationError) -> HTTPURLResponse {
        let session = try pool.session(for: request)
        defer { if request.needsOwnSession { pool.leave(session) } }
        let result = await withTaskCancellationHandler {
            // A continuation is removed from the state under the lock and resumed by the code that removed it: exactly
            // once.
            await withUnsafeContinuation { continuation in begin(in: session, continuation) }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    private func begin(
        in session: ExchangeSession,
        _ continuation: UnsafeContinuation<Result<HTTPURLResponse, ConversationError>, Never>
    ) {
        let failure: ConversationError? = state.withLock { state in
            if case .failure(let error) = state.ending { return error }
            state.caller = continuation
            state.session = session
            state.watch = watch()
            return nil
        }
        if let failure { return continuation.resume(returning: .failure(failure)) }
        session.begin(self)
    }

    /// Sets the task that performs the exchange. Returns false if the exchange is already over.
    func runs(as task: URLSessionTask) -> Bool {
        state.withLock { state in
            guard state.ending == nil else { return false }
            state.task = task
            return true
        }
    }

    func next() async throws(ConversationError) -> [UInt8]? {
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in park(continuation) }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    private func park(_ continuation: UnsafeContinuation<Chunk, Never>) {
        let ready = state.withLock { state -> Chunk? in
            guard let ready = Self.take(&state) else {
                state.reader = continuation
                return nil
            }
            guard state.isPaused else { return ready }
            state.isPaused = false
            state.times.resume()
            // Under the lock: otherwise the task might be suspended after it was resumed, and wait for ever.
            state.task?.resume()
            return ready
        }
        if let ready { continuation.resume(returning: ready) }
    }

    private static func take(_ state: inout State) -> Chunk? {
        if !state.bytes.isEmpty {
            var bytes: [UInt8] = []
            swap(&bytes, &state.bytes)
            return .success(bytes)
        }
        return state.ending?.map { nil }
    }

    /// Ends the exchange at once; harmless after its end.
    func cancel() { end(with: .cancelled) }

    func end(with error: ConversationError) {
        let ended: State? = state.withLock { state in
            guard state.ending == nil else { return nil }
            let before = state
            state.ending = .failure(error)
            state.clear()
            if error.code == .cancelled { state.bytes = [] }
            return before
        }
        guard let ended else { return }
        ended.watch?.cancel()
        // The body first: URLSession does not cancel a task that waits for a piece of it (Linux).
        ended.upload?.cancel()
        if let task = ended.task { ended.session?.cancel(task) }
        ended.caller?.resume(returning: .failure(error))
        ended.reader?.resume(returning: .failure(error))
    }

    // MARK: Time

    private func watch() -> Task<Void, Never> {
        Task { [weak self] in
            while let wake = self?.state.withLock({ $0.ending == nil ? $0.times.next : nil }) {
                guard (try? await Task.sleep(until: wake, clock: .continuous)) != nil else { return }
                self?.expire()
            }
        }
    }

    private func expire() {
        let expired = state.withLock { $0.times.expired }
        if let expired { end(with: URLFailure.timedOut(expired, request)) }
    }

    // MARK: The session's side

    /// The stream of the request's body. Available once, because the body cannot be read again.
    func bodyStream() -> InputStream? {
        guard case .streamed(let body) = request.payload else { return nil }
        let upload = UploadStream(body, of: self)
        let isFirst = state.withLock { state in
            guard state.ending == nil, state.upload == nil else { return false }
            state.upload = upload
            return true
        }
        guard isFirst else {
            end(with: URLFailure.bodyTwice(request))
            return nil
        }
        return upload.start()
    }

    /// Pauses or resumes the idle limit while the request's body waits for its own source.
    func waitsForSource(_ waits: Bool) {
        state.withLock { state in if waits { state.times.pause() } else { state.times.resume() } }
    }

    /// Pauses the idle limit until there is a network.
    func waitsForNetwork() { state.withLock { $0.times.waitForNetwork() } }

    func sent(_ count: Int) {
        let isRunning = state.withLock { state in
            state.times.progress()
            return state.ending == nil
        }
        if isRunning { request.progress?(count, request.bodyLength) }
    }

    func received(_ response: HTTPURLResponse) {
        // An interim response does not end the wait.
        guard !(100..<200).contains(response.statusCode) || response.statusCode == 101 else { return }
        let caller = state.withLock { state in
            state.times.answered()
            defer { state.caller = nil }
            return state.ending == nil ? state.caller : nil
        }
        caller?.resume(returning: .success(response))
    }

    #if canImport(FoundationNetworking)
    /// Handles a head that URLSession reported only at the end. If there was a body, it is lost, and the exchange
    /// fails.
    func receivedLate(_ response: HTTPURLResponse) {
        guard state.withLock({ $0.caller != nil }) else { return }
        received(response)
        let length = response.value(forHTTPHeaderField: "Content-Length") ?? "0"
        let isChunked = response.value(forHTTPHeaderField: "Transfer-Encoding") != nil
        if isChunked || length != "0" { end(with: URLFailure.lostBody(request)) }
    }
    #endif

    func received(_ data: Data) {
        let (reader, chunk, isTooMuch) = state.withLock {
            state -> (UnsafeContinuation<Chunk, Never>?, Chunk?, Bool) in
            guard state.ending == nil, !data.isEmpty else { return (nil, nil, false) }
            state.times.progress()
            // Appended as one block of memory: byte by byte is very slow in debug builds.
            data.withUnsafeBytes { state.bytes.append(contentsOf: $0.bindMemory(to: UInt8.self)) }
            if let reader = state.reader {
                state.reader = nil
                return (reader, Self.take(&state), false)
            }
            #if canImport(FoundationNetworking)
            return (nil, nil, state.bytes.count > unreadLimit)
            #else
            guard state.bytes.count >= Self.highWatermark, !state.isPaused else { return (nil, nil, false) }
            state.isPaused = true
            state.times.pause()
            // Under the lock, like the call that resumes it.
            state.task?.suspend()
            return (nil, nil, false)
            #endif
        }
        if let reader, let chunk { reader.resume(returning: chunk) }
        if isTooMuch { end(with: URLFailure.unread(request, unreadLimit)) }
    }

    /// Ends the exchange: its task has ended, or its further events do not matter.
    func finish(_ error: (any Error)?) {
        let (ended, failure) = state.withLock { state -> (State?, ConversationError?) in
            guard state.ending == nil else { return (nil, nil) }
            let before = state
            let failure = error.map { URLFailure.classify($0, request.origin, state.times.stage) }
            state.ending = failure.map { .failure($0) } ?? .success(())
            state.clear()
            return (before, failure)
        }
        guard let ended else { return }
        ended.watch?.cancel()
        ended.upload?.cancel()
        ended.caller?.resume(returning: .failure(failure ?? URLFailure.noResponse(request)))
        ended.reader?.resume(returning: failure.map { .failure($0) } ?? .success(nil))
    }
}

extension URLExchange.State {
    fileprivate mutating func clear() {
        caller = nil
        reader = nil
        session = nil
        task = nil
        watch = nil
        upload = nil
    }
}
