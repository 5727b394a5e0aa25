import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Forwards a URLSession's events to their exchanges.
///
/// The session keeps its delegate alive until it is invalidated, so the delegate has no reference to the transport.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private struct State {
        var exchanges: [Int: URLExchange] = [:]
        var waiters: [UnsafeContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func add(_ exchange: URLExchange, as task: URLSessionTask) {
        state.withLock { $0.exchanges[task.taskIdentifier] = exchange }
    }

    func exchange(of task: URLSessionTask) -> URLExchange? { state.withLock { $0.exchanges[task.taskIdentifier] } }

    /// Returns when no exchange is running.
    func idle() async {
        await withUnsafeContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.exchanges.isEmpty { return true }
                state.waiters.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Ends every exchange.
    func abort() {
        for exchange in state.withLock({ Array($0.exchanges.values) }) { exchange.end(with: SessionPool.shutDown) }
    }

    func forget(_ task: URLSessionTask) { _ = remove(task) }

    private func remove(_ task: URLSessionTask) -> URLExchange? {
        let (exchange, waiters) = state.withLock { state in
            let exchange = state.exchanges.removeValue(forKey: task.taskIdentifier)
            guard state.exchanges.isEmpty else { return (exchange, [UnsafeContinuation<Void, Never>]()) }
            defer { state.waiters = [] }
            return (exchange, state.waiters)
        }
        for waiter in waiters { waiter.resume() }
        return exchange
    }

    // MARK: Switched-off features

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        // The only challenge here is that of a 401, whose response is complete by now. One disposition would send the
        // request again, and all others cancel the task.
        exchange(of: task)?.finish(nil)
        completionHandler(.cancelAuthenticationChallenge, nil)
        #else
        HandshakeChallenge.answer(challenge, of: exchange(of: task), in: session, completionHandler)
        #endif
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        completionHandler(nil)
    }

    // MARK: Progress

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { exchange(of: dataTask)?.received(response) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.received(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(of: task)?.sent(Int(clamping: totalBytesSent))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(exchange(of: task)?.bodyStream())
    }

    #if !canImport(FoundationNetworking)
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        exchange(of: task)?.waitsForNetwork()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        exchange(of: task)?.request.onMetrics?(metrics)
    }
    #endif

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = remove(task)
        #if canImport(FoundationNetworking)
        // For a redirect without a destination, URLSession reports nothing before the end.
        if error == nil, let response = task.response as? HTTPURLResponse { exchange?.receivedLate(response) }
        #endif
        exchange?.finish(error)
    }
}
