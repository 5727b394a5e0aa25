import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A URLSession that does nothing of its own, and the exchanges that run in it.
///
/// FoundationNetworking blocks whoever calls it while any request body is waited for. So it is called from a queue that
/// nothing else needs: never from a task, whose thread the source of that body may need.
final class ExchangeSession: Sendable {
    private struct State {
        var session: URLSession?
        /// A task of an invalidated session ends the process.
        var isFinished = false
    }

    private let configuration: URLSessionTransport.Configuration
    private let delegate = SessionDelegate()
    private let state = Mutex(State())
    private let calls = DispatchQueue(label: "HttpConversationURLSession")

    init(_ configuration: URLSessionTransport.Configuration) { self.configuration = configuration }

    /// Begins an exchange's task, in time.
    func begin(_ exchange: URLExchange) {
        calls.async { [self] in
            guard let task = makeTask(for: exchange) else { return exchange.end(with: SessionPool.shutDown) }
            let isWanted = exchange.runs(as: task)
            // In any case: only a task that ran reports its end.
            task.resume()
            if !isWanted { cancel(task) }
        }
    }

    /// Ends a task, in time. Its exchange is over: what the task still reports is of no interest.
    func cancel(_ task: URLSessionTask) {
        calls.async { [delegate] in
            task.cancel()
            delegate.forget(task)
        }
    }

    private func makeTask(for exchange: URLExchange) -> URLSessionTask? {
        state.withLock { state in
            guard !state.isFinished else { return nil }
            let session = state.session ?? makeSession()
            state.session = session
            let task: URLSessionTask =
                switch exchange.request.payload {
                case .none: session.dataTask(with: exchange.request.urlRequest)
                case .whole(let data): session.uploadTask(with: exchange.request.urlRequest, from: data)
                case .streamed: session.uploadTask(withStreamedRequest: exchange.request.urlRequest)
                }
            delegate.add(exchange, as: task)
            return task
        }
    }

    private func makeSession() -> URLSession {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return URLSession(
            configuration: configuration.urlSessionConfiguration, delegate: delegate, delegateQueue: queue)
    }

    /// No more tasks; running ones, and what was begun before, go on.
    func finish() {
        calls.async { [self] in
            let session = state.withLock { state in
                state.isFinished = true
                defer { state.session = nil }
                return state.session
            }
            session?.finishTasksAndInvalidate()
        }
    }

    /// Returns once no exchange runs.
    func idle() async {
        await withUnsafeContinuation { continuation in calls.async { continuation.resume() } }
        await delegate.idle()
    }

    /// Ends what still runs.
    func abort() { delegate.abort() }
}

extension URLSessionTransport.Configuration {
    /// Nothing is kept, nothing is added, nothing is answered.
    var urlSessionConfiguration: URLSessionConfiguration {
        let result = URLSessionConfiguration.ephemeral
        result.urlCache = nil
        result.requestCachePolicy = .reloadIgnoringLocalCacheData
        result.urlCredentialStorage = nil
        result.httpCookieStorage = nil
        result.httpCookieAcceptPolicy = .never
        result.httpShouldSetCookies = false
        result.httpMaximumConnectionsPerHost = maximumConnectionsPerHost
        // Ours are finer, and what they wait for is known.
        result.timeoutIntervalForRequest = Self.farAway
        result.timeoutIntervalForResource = Self.farAway
        #if !canImport(FoundationNetworking)
        addApplesOwn(to: result)
        #endif
        return result
    }

    /// A week, in seconds.
    static let farAway: Double = 7 * 24 * 3600
}
