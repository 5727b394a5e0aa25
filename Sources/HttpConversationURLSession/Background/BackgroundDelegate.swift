#if !canImport(FoundationNetworking)
import Foundation
import HTTPTypes
import HttpConversation
import Synchronization

/// Handles events of background transfers, also of those that an earlier launch of the application began.
final class BackgroundDelegate: NSObject, URLSessionDownloadDelegate {
    private let configuration: BackgroundTransfers.Configuration
    private let ends: AsyncStream<BackgroundTransfers.End>.Continuation
    /// The login cookies in the store.
    private let cookies = Mutex(TransferCookies())
    private let completion = Mutex<(@Sendable () -> Void)?>(nil)
    /// Files that could not be moved to their place, by task.
    private let fileErrors = Mutex<[Int: ConversationError]>([:])

    init(
        _ configuration: BackgroundTransfers.Configuration,
        _ ends: AsyncStream<BackgroundTransfers.End>.Continuation
    ) {
        self.configuration = configuration
        self.ends = ends
    }

    /// Notes the transfers of an earlier launch of the application.
    func found(_ labels: [BackgroundLabel]) { cookies.withLock { $0.found(labels) } }

    /// Puts the cookies of a transfer into the store.
    func bring(_ brought: [Cookie], into store: HTTPCookieStorage?) -> Set<BackgroundLabel.CookiePlace> {
        cookies.withLock { store?.bring(brought, noting: &$0) ?? [] }
    }

    func handleEvents(_ handler: @escaping @Sendable () -> Void) { completion.withLock { $0 = handler } }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        let handler = completion.withLock { completion in
            defer { completion = nil }
            return completion
        }
        if let handler { DispatchQueue.main.async(execute: handler) }
    }

    /// Moves the file to its place: the system removes it when this returns.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        guard let label = BackgroundLabel(text: downloadTask.taskDescription),
            outcome(of: downloadTask, nil).isForTheFile
        else { return }
        do {
            _ = try FileManager.default.replaceItemAt(URL(filePath: label.path), withItemAt: location)
        } catch {
            let failure = ConversationError(
                .outputFailed, "The downloaded file could not be put into its place, \(label.path).",
                underlyingError: error)
            fileErrors.withLock { $0[downloadTask.taskIdentifier] = failure }
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        // The task is not one of ours.
        guard let label = BackgroundLabel(text: task.taskDescription) else { return }
        let failure = fileErrors.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        let outcome = failure.map { BackgroundOutcome.failed($0) } ?? outcome(of: task, error)
        ends.yield(BackgroundTransfers.End(label: label, outcome: outcome, request: task.originalRequest))
        let places = cookies.withLock { $0.end(label) }
        session.configuration.httpCookieStorage?.remove(places)
    }

    /// No person can be asked here, so 401 and 407 come as answers.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(.performDefaultHandling, nil)
    }

    private func outcome(of task: URLSessionTask, _ error: (any Error)?) -> BackgroundOutcome {
        guard let asked = task.originalRequest?.url, let target = try? TargetURL(asked) else {
            return .failed(
                ConversationError(.internalInconsistency, "A background task has no URL. Please report this."))
        }
        if let error { return .failed(URLFailure.classify(error, target.origin, .receiving)) }
        guard let response = task.response as? HTTPURLResponse, let url = response.url,
            let answered = try? TargetURL(url), let fields = try? ResponseFields.read(response, target.origin)
        else { return .authenticationRequired(nil) }
        let head = HTTPResponse(status: .init(integerLiteral: response.statusCode), headerFields: fields)
        return .of(
            head, asked: target, answered: answered, known: configuration.knownOrigins,
            isChallenge: configuration.isChallenge)
    }
}
#endif
