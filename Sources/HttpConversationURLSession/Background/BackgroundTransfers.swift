public import Foundation
public import HTTPTypes
public import HttpConversation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// File transfers that the system performs while the application is suspended or terminated.
///
/// A manager of a background configuration has one, `backgroundTransfers`,
/// and its verbs for files use it. To use one by itself, log in and plan in the foreground, then hand over:
///
/// ```swift
/// let transfers = BackgroundTransfers(.init(identifier: "com.example.app.transfers"))
/// let plan = try await manager.planBackgroundTransfer(for: try HTTPRequest(.put, "https://example.com/inbox/7"))
/// try transfers.upload(plan, fromFile: film)
/// for await end in transfers.ends {   // also of transfers of an earlier launch of the application
///     …
///     transfers.acknowledge(end.label.conversationID)
/// }
/// ```
/// Create one with the same identifier when the application starts, and forward the call of the application delegate:
/// ``handleEvents()``.
///
/// The system sends the request, follows redirects and refuses challenges by itself. So a
/// ``/HttpConversation/ConversationDelegate`` decides nothing about a transfer. It is told of an upload's progress, of
/// a complete download, and of the end.
///
/// On Linux no system continues a transfer: it ends with the process, and the next launch reports it as lost.
public final class BackgroundTransfers: Sendable {
    /// The settings for transfers.
    public struct Configuration: Sendable {
        /// The name of the session, the same across launches. Unique in the application.
        public var identifier: String
        /// The application group whose container and cookie store are used, without which a background session of an
        /// application extension is refused; nil: the application's own (`HTTPCookieStorage.shared`).
        public var applicationGroup: String?
        /// Whether the system may wait for a good moment, for example until there is power and Wi-Fi.
        public var isDiscretionary = false
        #if !canImport(FoundationNetworking)
        /// The networks that may be used.
        public var access = URLSessionTransport.NetworkAccess()
        #endif
        /// Other origins that redirects may lead to, such as a file store's. An answer of any other origin is taken for
        /// a login: ``BackgroundOutcome/authenticationRequired(_:)``.
        public var knownOrigins: Set<Origin> = []
        /// Whether an answer is a login page or another challenge, besides 401 and 407.
        public var isChallenge: @Sendable (_ head: HTTPResponse, _ url: TargetURL) -> Bool = { _, _ in false }
        /// Whether a manager's transfers may have secret fields.
        public var policy = BackgroundTransferPlan.Policy()
        /// The folder of the records and resume data, for the application alone; nil: one by the name of the session,
        /// in the folder for application support, or in the group's container if there is an ``applicationGroup``: the
        /// system may launch the application for the events of its extension.
        public var folder: URL?
        /// Called with the progress of each transfer, from any thread.
        public var onProgress: @Sendable (BackgroundProgress) -> Void = { _ in }

        /// The defaults.
        public init(identifier: String) { self.identifier = identifier }

        var place: URL {
            let name = identifier.utf8.map { String(format: "%02x", $0) }.joined()
            return folder ?? support.appending(path: "HttpConversation/Transfers/\(name)")
        }

        private var support: URL {
            #if !canImport(FoundationNetworking)
            let container = applicationGroup.flatMap {
                FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: $0)
            }
            if let container { return container.appending(path: "Library/Application Support") }
            #endif
            return FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
                ?? .homeDirectory
        }
    }

    /// The end of one transfer.
    public struct End: Sendable {
        /// The transfer.
        public let label: BackgroundLabel
        /// The result.
        public let outcome: BackgroundOutcome
        /// The request, for another attempt in the foreground; nil if the system no longer has it.
        public let request: URLRequest?
        let answer: BackgroundAnswer?

        /// The body of the answer to an upload, read from its file; empty for any other end.
        ///
        /// - Throws: ``/HttpConversation/ConversationError/Code/tooLarge`` for more than 1 MiB, which is not kept,
        ///   ``/HttpConversation/ConversationError/Code/bodyCut`` if only a part of it reached the application,
        ///   ``/HttpConversation/ConversationError/Code/outputFailed`` if it could not be written, and after
        ///   ``BackgroundTransfers/acknowledge(_:)``
        public func body() throws(ConversationError) -> [UInt8] { try answer?.read() ?? [] }
    }

    /// The ends of transfers, those of an earlier launch of the application first. For one consumer. An end comes again
    /// at the next launch until ``acknowledge(_:)`` is called. It does not have the transfers that a verb of a manager
    /// waits for.
    public var ends: AsyncStream<End> { reports.ends }
    let reports: BackgroundReports
    let configuration: Configuration
    private let table: BackgroundTable
    private let session: URLSession
    private let calls = SessionCalls()
    private let delegate: BackgroundDelegate

    /// Creates the session, or resumes the one that an earlier launch of the application created.
    public convenience init(_ configuration: Configuration) {
        #if canImport(FoundationNetworking)
        let settings = URLSessionConfiguration.ephemeral
        #else
        let settings = URLSessionConfiguration.background(withIdentifier: configuration.identifier)
        settings.isDiscretionary = configuration.isDiscretionary
        settings.sessionSendsLaunchEvents = true
        #endif
        if let group = configuration.applicationGroup {
            settings.httpCookieStorage = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: group)
            #if !canImport(FoundationNetworking)
            settings.sharedContainerIdentifier = group
            #endif
        }
        self.init(configuration, settings)
    }

    /// - Parameter settings: the session's configuration
    init(_ configuration: Configuration, _ settings: URLSessionConfiguration) {
        // The caller may use its own for other sessions.
        let settings = settings.copy() as? URLSessionConfiguration ?? settings
        settings.urlCache = nil
        settings.urlCredentialStorage = nil
        // A plan has the fields that are sent. The system would add these wherever a redirect leads.
        settings.httpAdditionalHeaders = nil
        self.configuration = configuration
        let table = BackgroundTable(folder: configuration.place)
        self.table = table
        reports = BackgroundReports { _ = table.apply(.acknowledged, to: $0) }
        delegate = BackgroundDelegate(configuration, table, reports)
        session = URLSession(configuration: settings, delegate: delegate, delegateQueue: nil)
        session.getAllTasks { [delegate, session] tasks in
            delegate.launched(tasks.compactMap { BackgroundLabel(text: $0.taskDescription) }, in: session)
        }
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a file.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidRequest`` for a URL that `URLRequest` cannot
    ///   express, ``/HttpConversation/ConversationError/Code/bodyUnavailable`` for a file that cannot be read,
    ///   ``/HttpConversation/ConversationError/Code/outputFailed`` if no record can be written,
    ///   ``/HttpConversation/ConversationError/Code/invalidConfiguration`` if a cookie of the plan has another value in
    ///   the system's store, or in a running transfer, if a running transfer has a cookie for the server that the plan
    ///   does not have, or if the names of the plan's cookies are too long to be noted; nothing was sent then
    public func upload(_ plan: BackgroundTransferPlan, fromFile file: URL) throws(ConversationError) {
        try start(plan, .upload, file, .init())
    }

    /// Downloads to a file. An existing file is replaced when the download is complete, and only if the status is
    /// successful. A part (206) that the request did not ask for is a failure.
    ///
    /// - Throws: the same errors as ``upload(_:fromFile:)``
    public func download(_ plan: BackgroundTransferPlan, to file: URL) throws(ConversationError) {
        try start(plan, .download, file, .init())
    }

    /// Stops a download and keeps the bytes that have arrived, if the server and the system allow that. Otherwise the
    /// download ends with ``/HttpConversation/ConversationError/Code/cancelled``. A download that the system itself
    /// cancels ends with the same code, and is in ``resumable`` if the system has kept a part.
    public func pause(_ id: ConversationID) {
        guard table.apply(.pause, to: id).contains(.stop) else { return }
        // The delegate gets the resume data with the end.
        forTask(of: id) { task in
            if let download = task as? URLSessionDownloadTask { download.cancel { _ in } } else { task.cancel() }
        }
    }

    /// The transfers that can be resumed, because they were paused, or interrupted with resume data.
    public var resumable: [BackgroundLabel] { table.all.filter(\.state.isResumable).map(\.label) }

    /// Resumes a download. The request is the one that the system kept; the plan, for the same URL, brings the cookies
    /// of a login.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/notResumable`` if nothing was kept, and
    ///   ``/HttpConversation/ConversationError/Code/invalidConfiguration`` for cookies as ``upload(_:fromFile:)`` does
    public func resume(_ id: ConversationID, _ plan: BackgroundTransferPlan) throws(ConversationError) {
        guard let record = table[id], record.state.isResumable, let data = table.resumeData(for: id) else {
            throw ConversationError(
                .notResumable, "Nothing was kept of the background transfer \(id): begin it again.")
        }
        let label = try label(id, plan, .download, record.label.path)
        _ = table.apply(.resumed, to: id, label: label)
        begin(label) { $0.downloadTask(withResumeData: data) }
    }

    /// Cancels a transfer, which then ends in a failure. A paused one is forgotten.
    public func cancel(_ id: ConversationID) {
        if table[id]?.state == .paused { return acknowledge(id) }
        forTask(of: id) { $0.cancel() }
    }

    /// Forgets a transfer that has ended or is paused: its end is not reported again.
    public func acknowledge(_ id: ConversationID) { _ = table.apply(.acknowledged, to: id) }

    /// Handles `application(_:handleEventsForBackgroundURLSession:completionHandler:)`. The handler is called on the
    /// main queue after all events were delivered, and delegates were told of them.
    public func handleEvents(completion: @escaping @Sendable () -> Void) {
        delegate.handleEvents { DispatchQueue.main.async(execute: completion) }
    }

    /// Returns after the system has delivered all events that it launched the application for, and delegates were told
    /// of them; at once if the calling task is cancelled. For the application delegate, and for
    /// `backgroundTask(.urlSession(identifier))` of SwiftUI:
    ///
    /// ```swift
    /// func application(_ application: UIApplication, handleEventsForBackgroundURLSession identifier: String) async {
    ///     await transfers.handleEvents()
    /// }
    /// ```
    public func handleEvents() async {
        let (done, end) = AsyncStream<Void>.makeStream()
        delegate.handleEvents { end.finish() }
        for await _ in done {}
    }

    private func forTask(of id: ConversationID, _ work: @escaping @Sendable (URLSessionTask) -> Void) {
        calls.perform { [calls, session] in
            session.getAllTasks { tasks in
                for task in tasks where BackgroundLabel(text: task.taskDescription)?.conversationID == id {
                    calls.perform { work(task) }
                }
            }
        }
    }

    /// Hands a transfer over to the system.
    func start(
        _ plan: BackgroundTransferPlan, _ kind: BackgroundLabel.Kind, _ file: URL,
        _ listener: BackgroundReports.Listener
    ) throws(ConversationError) {
        let request = try request(for: plan, kind)
        guard kind == .download || FileManager.default.isReadableFile(atPath: file.path) else {
            throw ConversationError(
                .bodyUnavailable, "The file of a background upload cannot be read: \(file.path). Nothing was sent.")
        }
        let label = try label(plan.conversationID, plan, kind, file.standardizedFileURL.path)
        do throws(ConversationError) { try table.begin(label) } catch {
            delegate.remove(label, from: session)
            throw error
        }
        var listener = listener
        listener.context = plan.context
        reports.listen(to: plan.conversationID, listener)
        begin(label) { session in
            switch kind {
            case .upload: session.uploadTask(with: request, fromFile: file)
            case .download: session.downloadTask(with: request)
            }
        }
    }

    private func begin(_ label: BackgroundLabel, _ makeTask: @escaping @Sendable (URLSession) -> URLSessionTask) {
        // The call keeps this object, and by it a session that accepts tasks.
        calls.perform { [self] in
            let task = makeTask(session)
            task.taskDescription = label.text
            task.resume()
        }
    }

    private func label(
        _ id: ConversationID, _ plan: BackgroundTransferPlan, _ kind: BackgroundLabel.Kind, _ path: String
    ) throws(ConversationError) -> BackgroundLabel {
        let store = session.configuration.httpCookieStorage
        let known = plan.handlesCookies ? store?.places(ofServer: plan.target) : nil
        let cookies = try delegate.bring(plan, into: store)
        for known in [known, nil] {
            let label = BackgroundLabel(conversationID: id, kind: kind, path: path, cookies: cookies, known: known)
            if label.isReadable { return label }
        }
        delegate.remove(BackgroundLabel(conversationID: id, kind: kind, path: path, cookies: cookies), from: session)
        throw ConversationError(
            .invalidConfiguration,
            "The cookies of \(plan.target.origin) have too many or too long names and paths to be noted for a background transfer. Nothing was sent: transfer in the foreground."
        )
    }

    private func request(
        for plan: BackgroundTransferPlan, _ kind: BackgroundLabel.Kind
    ) throws(ConversationError) -> URLRequest {
        let transport = TransportRequest(
            target: plan.target, method: plan.method, headerFields: plan.headerFields, body: nil,
            options: TransportOptions())
        var request = URLRequest(url: try URLChecks.url(of: transport))
        request.httpMethod = plan.method.rawValue
        request.allHTTPHeaderFields = RequestFields.ofTransfer(transport, kind)
        request.httpShouldHandleCookies = plan.handlesCookies
        #if canImport(FoundationNetworking)
        try EnvironmentProxies.refuse(for: plan.target)
        #else
        configuration.access.apply(to: &request)
        #endif
        return request
    }
}
