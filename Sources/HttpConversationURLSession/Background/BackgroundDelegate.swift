import Foundation
import HTTPTypes
import HttpConversation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Handles events of background transfers, also of those that an earlier launch of the application began.
final class BackgroundDelegate: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
    private let configuration: BackgroundTransfers.Configuration
    private let table: BackgroundTable
    private let reports: BackgroundReports
    /// The login cookies in the store.
    private let cookies: Mutex<TransferCookies>
    private let completions = Mutex<[@Sendable () -> Void]>([])
    /// Files that could not be moved to their place, by task.
    private let fileErrors = Mutex<[Int: ConversationError]>([:])
    /// The bodies of answers to uploads that arrive, by task.
    private let answers = Mutex<[Int: BackgroundAnswer.Arriving]>([:])

    /// The value of `NSURLSessionDownloadTaskResumeData`, which FoundationNetworking does not have.
    private static let resumeData = "NSURLSessionDownloadTaskResumeData"

    init(_ configuration: BackgroundTransfers.Configuration, _ table: BackgroundTable, _ reports: BackgroundReports) {
        self.configuration = configuration
        self.table = table
        self.reports = reports
        // Before the system's transfers are known: one may end, and another one begin, at once.
        var cookies = TransferCookies()
        cookies.found(table.cookiesOfRunning)
        self.cookies = Mutex(cookies)
    }

    /// Notes the transfers of an earlier launch of the application that the system still has, and reports the ends that
    /// the application does not have yet.
    func launched(_ labels: [BackgroundLabel], in session: URLSession) {
        let (launch, places) = cookies.withLock { cookies in
            let launch = table.launched(labels)
            cookies.found(launch.found.map(\.cookies))
            return (launch, cookies.end(launch.cookies))
        }
        session.configuration.httpCookieStorage?.remove(places)
        for record in launch.ends { tell(record) }
    }

    /// Puts the cookies of a transfer into the store.
    func bring(
        _ plan: BackgroundTransferPlan, into store: HTTPCookieStorage?
    ) throws(ConversationError) -> Set<BackgroundLabel.CookiePlace> {
        try cookies.withLock { cookies throws(ConversationError) in
            try store?.bring(plan.cookies, for: plan.handlesCookies ? plan.target : nil, noting: &cookies) ?? []
        }
    }

    /// Removes the cookies of a transfer from the store, unless others need them.
    func remove(_ label: BackgroundLabel, from session: URLSession) {
        let places = cookies.withLock { $0.end(label) }
        session.configuration.httpCookieStorage?.remove(places)
    }

    /// Removes the cookies that the answer to a transfer has set, because another account's transfer would be sent with
    /// them. The cookies that the store had before stay.
    private func removeCookies(setFor label: BackgroundLabel, _ task: URLSessionTask, from session: URLSession) {
        guard let known = label.known, let store = session.configuration.httpCookieStorage,
            let response = task.response as? HTTPURLResponse,
            response.url?.host() == task.originalRequest?.url?.host()
        else { return }
        let places = store.places(setBy: response).subtracting(known)
        store.remove(cookies.withLock { $0.unused(places) })
    }

    /// - Parameter handler: called after the events of the system, and the reports of them
    func handleEvents(_ handler: @escaping @Sendable () -> Void) { completions.withLock { $0.append(handler) } }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        let handlers = completions.withLock { completions in
            defer { completions = [] }
            return completions
        }
        for handler in handlers { reports.afterwards(handler) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        guard let label = BackgroundLabel(text: task.taskDescription) else { return }
        let progress = BackgroundProgress(label, bytes: totalBytesSent, total: totalBytesExpectedToSend)
        configuration.onProgress(progress)
        reports.sent(UploadProgress(sent: progress.bytes, total: progress.total), of: label.conversationID)
    }

    /// Keeps the body of an upload's answer.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard BackgroundLabel(text: dataTask.taskDescription)?.kind == .upload else { return }
        answers.withLock { $0[dataTask.taskIdentifier, default: BackgroundAnswer.Arriving()].append(data) }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        guard let label = BackgroundLabel(text: downloadTask.taskDescription) else { return }
        configuration.onProgress(
            BackgroundProgress(label, bytes: totalBytesWritten, total: totalBytesExpectedToWrite))
    }

    /// Moves the file to its place: the system removes it when this returns.
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        guard let label = BackgroundLabel(text: downloadTask.taskDescription),
            case let outcome = outcome(of: downloadTask, nil), outcome.isForTheFile
        else { return }
        let asksForPart = downloadTask.originalRequest?.value(forHTTPHeaderField: "Range") != nil
        let size = try? location.resourceValues(forKeys: [.fileSizeKey]).fileSize
        guard asksForPart || outcome.isWhole(size: size ?? 0) else {
            let failure = ConversationError(
                .bodyCut,
                "The server sent a part that it was not asked for (status 206). Nothing was written to \(label.path)."
            )
            return fileErrors.withLock { $0[downloadTask.taskIdentifier] = failure }
        }
        do { try Self.move(location, to: URL(filePath: label.path)) } catch {
            let failure = ConversationError(
                .outputFailed, "The downloaded file could not be put into its place, \(label.path).",
                underlyingError: error)
            fileErrors.withLock { $0[downloadTask.taskIdentifier] = failure }
        }
    }

    /// Moves a file to its place. A file that is there stays whole until the new one is in its place.
    private static func move(_ file: URL, to place: URL) throws {
        guard FileManager.default.fileExists(atPath: place.path) else {
            return try FileManager.default.moveItem(at: file, to: place)
        }
        #if canImport(FoundationNetworking)
        // Foundation's own replacement removes both files here.
        let draft = place.deletingLastPathComponent().appending(path: "\(UUID().uuidString).new")
        try FileManager.default.moveItem(at: file, to: draft)
        guard rename(draft.path, place.path) == 0 else {
            let code = POSIXErrorCode(rawValue: errno) ?? .EIO
            try? FileManager.default.removeItem(at: draft)
            throw POSIXError(code)
        }
        #else
        _ = try FileManager.default.replaceItemAt(place, withItemAt: file)
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        // The task is not one of ours.
        guard let label = BackgroundLabel(text: task.taskDescription) else { return }
        remove(label, from: session)
        removeCookies(setFor: label, task, from: session)
        let failure = fileErrors.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        let outcome = failure.map { BackgroundOutcome.failed($0) } ?? outcome(of: task, error)
        let answer = answers.withLock { $0.removeValue(forKey: task.taskIdentifier) } ?? BackgroundAnswer.Arriving()
        var result = BackgroundResult(outcome)
        if label.kind == .upload, case .finished(let head) = outcome {
            result.answer = table.keep(answer, with: head.headerFields, for: label.conversationID)
        }
        let data = (error as? URLError)?.userInfo[Self.resumeData] as? Data
        let left = table.apply(
            .ended(result, isResumable: data != nil), to: label.conversationID, resumeData: data)
        guard left.contains(.tell) else { return }
        reports.end(
            BackgroundTransfers.End(
                label: label, outcome: outcome, request: task.originalRequest,
                answer: table.answer(of: label.conversationID)))
    }

    private func tell(_ record: BackgroundRecord) {
        guard case .ended(let result) = record.state else { return }
        reports.end(
            BackgroundTransfers.End(
                label: record.label, outcome: result.outcome, request: nil, answer: table.answer(of: record.id)))
    }

    /// No person can be asked here, so 401 and 407 come as answers. A redirect may have led to any server, so the system
    /// does not log in by itself.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        completionHandler(.performDefaultHandling, nil)
        #else
        HandshakeChallenge.answerInBackground(challenge, in: session, completionHandler)
        #endif
    }

    private func outcome(of task: URLSessionTask, _ error: (any Error)?) -> BackgroundOutcome {
        guard let asked = task.originalRequest?.url, let target = try? TargetURL(asked) else {
            return .failed(
                ConversationError(.internalInconsistency, "A background task has no URL. Please report this."))
        }
        if let error { return .failed(URLFailure.classify(error, target.origin, Self.stage(of: task))) }
        guard let response = task.response as? HTTPURLResponse, let url = response.url,
            let answered = try? TargetURL(url), let fields = try? ResponseFields.read(response, target.origin)
        else { return .authenticationRequired(nil) }
        guard (100..<1000).contains(response.statusCode) else {
            return .failed(
                ConversationError(
                    .malformedResponse,
                    "\(target.origin.hostAndPort) sent an invalid HTTP response: an impossible status code."))
        }
        let head = HTTPResponse(status: .init(integerLiteral: response.statusCode), headerFields: fields)
        return .of(
            head, asked: target, answered: answered, known: configuration.knownOrigins,
            isChallenge: configuration.isChallenge)
    }

    /// How far a transfer has come, by what the system says of its task.
    private static func stage(of task: URLSessionTask) -> ExchangeTimes.Stage {
        guard task.response == nil else { return .receiving }
        return task.countOfBytesSent > 0 ? .sending : .connecting
    }
}
