import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A URLSession with its own features switched off, and the exchanges that run in it.
final class ExchangeSession: Sendable {
    private struct State {
        var session: URLSession?
        /// Creating a task in an invalidated session ends the process.
        var isFinished = false
    }

    private let configuration: URLSessionTransport.Configuration
    private let delegate = SessionDelegate()
    private let state = Mutex(State())
    private let calls = SessionCalls()

    init(_ configuration: URLSessionTransport.Configuration) { self.configuration = configuration }

    /// Starts an exchange's task.
    func begin(_ exchange: URLExchange) {
        calls.perform { [self] in
            guard let task = makeTask(for: exchange) else { return exchange.end(with: SessionPool.shutDown) }
            let isWanted = exchange.runs(as: task)
            // Resumed in any case: only a task that ran reports its end.
            task.resume()
            if !isWanted { cancel(task) }
        }
    }

    /// Cancels a task. The exchange of the task is over, so further events of the task do not matter.
    func cancel(_ task: URLSessionTask) {
        calls.perform { [delegate] in
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

    /// Accepts no more tasks. Running and queued ones continue.
    func finish() {
        calls.perform { [self] in
            let session = state.withLock { state in
                state.isFinished = true
                defer { state.session = nil }
                return state.session
            }
            session?.finishTasksAndInvalidate()
        }
    }

    /// Returns when no exchange is running.
    func idle() async {
        await withUnsafeContinuation { continuation in calls.perform { continuation.resume() } }
        await delegate.idle()
    }

    /// Ends the running exchanges.
    func abort() { delegate.abort() }
}

extension URLSessionTransport.Configuration {
    /// A session configuration that stores nothing, adds nothing and answers nothing.
    var urlSessionConfiguration: URLSessionConfiguration {
        let result = URLSessionConfiguration.ephemeral
        result.urlCache = nil
        result.requestCachePolicy = .reloadIgnoringLocalCacheData
        result.urlCredentialStorage = nil
        result.httpCookieStorage = nil
        result.httpCookieAcceptPolicy = .never
        result.httpShouldSetCookies = false
        result.httpMaximumConnectionsPerHost = maximumConnectionsPerHost
        // Our limits are finer and know what is being waited for.
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
