#if !canImport(FoundationNetworking)
public import Foundation
public import HTTPTypes
public import HttpConversation

/// File transfers that the system performs while the application is suspended or terminated (requirement A11).
///
/// Log in and plan in the foreground, then hand over:
///
/// ```swift
/// let transfers = BackgroundTransfers(.init(identifier: "com.example.app.transfers"))
/// let plan = try await manager.planBackgroundTransfer(for: try HTTPRequest(.put, "https://example.com/inbox/7"))
/// try transfers.upload(plan, fromFile: film)
/// for await end in transfers.ends { … }      // also of transfers of an earlier launch of the application
/// ```
/// Create one with the same identifier when the application starts, and forward the call of the application delegate:
/// ``handleEvents(completion:)``.
///
/// A ``/HttpConversation/ConversationDelegate`` is not told of a transfer and decides nothing about it: the system sends the
/// request, follows redirects and refuses challenges by itself, and the process of the conversation may have ended by then.
/// ``ends`` has the outcome, with the id of the conversation.
public final class BackgroundTransfers: Sendable {
    /// The settings for transfers.
    public struct Configuration: Sendable {
        /// The name of the session, the same across launches. Unique in the application.
        public var identifier: String
        /// The application group whose cookie store is used; nil: the application's own store
        /// (`HTTPCookieStorage.shared`).
        public var applicationGroup: String?
        /// Whether the system may wait for a good moment, for example until there is power and Wi-Fi.
        public var isDiscretionary = false
        /// The networks that may be used.
        public var access = URLSessionTransport.NetworkAccess()
        /// Other origins that redirects may lead to, such as a file store's. An answer of any other origin is taken for
        /// a login: ``BackgroundOutcome/authenticationRequired(_:)``.
        public var knownOrigins: Set<Origin> = []
        /// Whether an answer is a login page or another challenge, besides 401 and 407.
        public var isChallenge: @Sendable (_ head: HTTPResponse, _ url: TargetURL) -> Bool = { _, _ in false }

        /// The defaults.
        public init(identifier: String) { self.identifier = identifier }
    }

    /// The end of one transfer.
    public struct End: Sendable {
        /// The transfer.
        public let label: BackgroundLabel
        /// The result.
        public let outcome: BackgroundOutcome
        /// The request, for another attempt in the foreground.
        public let request: URLRequest?
    }

    /// The ends of transfers, those of an earlier launch of the application first. For one consumer.
    public let ends: AsyncStream<End>
    private let session: URLSession
    private let delegate: BackgroundDelegate
    private let access: URLSessionTransport.NetworkAccess

    /// Creates the session, or resumes the one that an earlier launch of the application created.
    public init(_ configuration: Configuration) {
        let (ends, continuation) = AsyncStream<End>.makeStream()
        self.ends = ends
        access = configuration.access
        delegate = BackgroundDelegate(configuration, continuation)
        let settings = URLSessionConfiguration.background(withIdentifier: configuration.identifier)
        settings.isDiscretionary = configuration.isDiscretionary
        settings.sessionSendsLaunchEvents = true
        settings.urlCache = nil
        settings.urlCredentialStorage = nil
        if let group = configuration.applicationGroup {
            settings.httpCookieStorage = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: group)
        }
        session = URLSession(configuration: settings, delegate: delegate, delegateQueue: nil)
        session.getAllTasks { [delegate] tasks in
            delegate.found(tasks.compactMap { BackgroundLabel(text: $0.taskDescription) })
        }
    }

    /// Sends a file.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidRequest`` for a URL that `URLRequest` cannot express
    public func upload(_ plan: BackgroundTransferPlan, fromFile file: URL) throws(ConversationError) {
        let request = try request(for: plan)
        start(session.uploadTask(with: request, fromFile: file), plan, .upload, file)
    }

    /// Downloads to a file. An existing file is replaced when the download is complete, and only if the status is
    /// successful.
    ///
    /// - Throws: the same errors as ``upload(_:fromFile:)``
    public func download(_ plan: BackgroundTransferPlan, to file: URL) throws(ConversationError) {
        let request = try request(for: plan)
        start(session.downloadTask(with: request), plan, .download, file)
    }

    /// Cancels a transfer, which then ends in a failure.
    public func cancel(_ id: ConversationID) {
        session.getAllTasks { tasks in
            for task in tasks where BackgroundLabel(text: task.taskDescription)?.conversationID == id { task.cancel() }
        }
    }

    /// Handles `application(_:handleEventsForBackgroundURLSession:completionHandler:)`. The handler is called on the
    /// main queue after all events were delivered.
    public func handleEvents(completion: @escaping @Sendable () -> Void) { delegate.handleEvents(completion) }

    private func request(for plan: BackgroundTransferPlan) throws(ConversationError) -> URLRequest {
        let transport = TransportRequest(
            target: plan.target, method: plan.method, headerFields: plan.headerFields, body: nil,
            options: TransportOptions())
        var request = URLRequest(url: try URLChecks.url(of: transport))
        request.httpMethod = plan.method.rawValue
        request.allHTTPHeaderFields = RequestFields(transport, .none, .init()).fields
        access.apply(to: &request)
        return request
    }

    private func start(
        _ task: URLSessionTask, _ plan: BackgroundTransferPlan, _ kind: BackgroundLabel.Kind, _ file: URL
    ) {
        let label = BackgroundLabel(
            conversationID: plan.conversationID, kind: kind, path: file.standardizedFileURL.path,
            cookies: delegate.bring(plan.cookies, into: session.configuration.httpCookieStorage))
        task.taskDescription = label.text
        task.resume()
    }
}
#endif
