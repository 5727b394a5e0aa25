import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A URLSession that does nothing of its own, and the exchanges that run in it.
final class ExchangeSession: Sendable {
    private let session: URLSession
    private let delegate = SessionDelegate()
    /// A task of an invalidated session ends the process.
    private let isFinished = Mutex(false)

    init(_ configuration: URLSessionTransport.Configuration) {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        session = URLSession(
            configuration: configuration.urlSessionConfiguration, delegate: delegate, delegateQueue: queue)
    }

    /// A task for an exchange, not begun; nil where the session is finished.
    func makeTask(for exchange: URLExchange) -> URLSessionTask? {
        isFinished.withLock { isFinished in
            guard !isFinished else { return nil }
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

    /// No more tasks; running ones go on.
    func finish() {
        let isFirst = isFinished.withLock { isFinished in
            defer { isFinished = true }
            return !isFinished
        }
        if isFirst { session.finishTasksAndInvalidate() }
    }

    /// Returns once no exchange runs.
    func idle() async { await delegate.idle() }

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
