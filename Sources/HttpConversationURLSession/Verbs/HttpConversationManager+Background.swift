public import Foundation
public import HTTPTypes
public import HttpConversation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Transfers of files by a manager of a background configuration. The login happens in the foreground, and the system
/// does the rest.
///
/// The verbs over `URLRequest` for files use these by themselves: `upload(for:fromFile:)` and `download(for:to:)`, and
/// their completion forms. Every other verb runs in the foreground.
extension HttpConversationManager {
    /// The transfers of a manager of a background configuration; nil for any other manager.
    ///
    /// Its ``BackgroundTransfers/ends`` has the transfers of an earlier launch of the application, too.
    public var backgroundTransfers: BackgroundTransfers? { (transport as? URLSessionTransport)?.background }

    /// Logs in if necessary, and begins to send a file in the background.
    ///
    /// - Parameters:
    ///   - request: the request, without a body
    ///   - file: the file, which has to stay until the end
    ///   - delegate: told of progress and of the end, in addition to the manager's delegate, while this process lives
    /// - Returns: the id, also of the end in ``BackgroundTransfers/ends``
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidConfiguration`` if the manager has no background
    ///   configuration, else the errors of ``planBackgroundTransfer(for:policy:)`` and
    ///   ``BackgroundTransfers/upload(_:fromFile:)``
    @discardableResult
    public func startBackgroundUpload(
        _ request: HTTPRequest, fromFile file: URL, delegate: (any ConversationDelegate)? = nil
    ) async throws(ConversationError) -> ConversationID {
        try await startTransfer(request, .upload, file, listener(delegate))
    }

    /// Logs in if necessary, and begins to download in the background.
    ///
    /// - Parameters:
    ///   - request: the request
    ///   - file: replaced when the download is complete and its status is a success
    ///   - delegate: told of the end, in addition to the manager's delegate, while this process lives
    /// - Returns: the id, also of the end in ``BackgroundTransfers/ends``
    /// - Throws: the same errors as ``startBackgroundUpload(_:fromFile:delegate:)``
    @discardableResult
    public func startBackgroundDownload(
        _ request: HTTPRequest, to file: URL, delegate: (any ConversationDelegate)? = nil
    ) async throws(ConversationError) -> ConversationID {
        try await startTransfer(request, .download, file, listener(delegate))
    }

    /// Logs in if necessary, and resumes a download of ``BackgroundTransfers/resumable``.
    ///
    /// - Parameter request: the request for the same URL; its fields are not sent, because the system has kept the
    ///   first request
    /// - Throws: ``/HttpConversation/ConversationError/Code/notResumable``, else the same errors as
    ///   ``startBackgroundUpload(_:fromFile:delegate:)``
    public func resumeBackgroundDownload(
        _ id: ConversationID, _ request: HTTPRequest
    ) async throws(ConversationError) {
        let transfers = try requireBackground()
        try transfers.resume(
            id, try await planBackgroundTransfer(for: request, policy: transfers.configuration.policy))
    }

    /// The result of a transfer, which goes to the caller and not into the stream of ends.
    func finishTransfer(
        _ request: HTTPRequest, _ kind: BackgroundLabel.Kind, _ file: URL, _ delegate: (any ConversationDelegate)?,
        _ prepare: @Sendable (ConversationContext) -> Void
    ) async throws(ConversationError) -> ConversationResponse {
        let transfers = try requireBackground()
        let plan = try await planBackgroundTransfer(
            for: request, policy: transfers.configuration.policy, prepare: prepare)
        let (results, waiter) = AsyncStream<Result<ConversationResponse, ConversationError>>.makeStream()
        var listener = listener(delegate)
        listener.waiter = waiter
        try transfers.start(plan, kind, file, listener)
        for await result in results { return try result.get() }
        // The caller's task was cancelled.
        transfers.cancel(plan.conversationID)
        throw .cancelled
    }

    private func startTransfer(
        _ request: HTTPRequest, _ kind: BackgroundLabel.Kind, _ file: URL, _ listener: BackgroundReports.Listener
    ) async throws(ConversationError) -> ConversationID {
        let transfers = try requireBackground()
        let plan = try await planBackgroundTransfer(for: request, policy: transfers.configuration.policy)
        try transfers.start(plan, kind, file, listener)
        return plan.conversationID
    }

    private func listener(_ delegate: (any ConversationDelegate)?) -> BackgroundReports.Listener {
        .init(delegates: [delegate, configuration.delegate].compactMap { $0 })
    }

    private func requireBackground() throws(ConversationError) -> BackgroundTransfers {
        guard let backgroundTransfers else {
            throw ConversationError(
                .invalidConfiguration,
                "The manager has no background session: create it with a URLSessionConfiguration that has an identifier (background(withIdentifier:))."
            )
        }
        return backgroundTransfers
    }

    /// Tells the manager's delegate of the ends of transfers that an earlier launch of the application began.
    func hearOfEarlierTransfers() {
        backgroundTransfers?.reports.unknown { [weak self] end in
            guard let self, let delegate = configuration.delegate, let url = end.request?.url,
                let target = try? TargetURL(url)
            else { return nil }
            let context = detachedContext(for: target)
            context[EarlierTransfer.self] = end.label
            return .init(delegates: [delegate], context: context)
        }
    }
}

/// The transfer of an earlier launch of the application that a delegate is told of: its conversation is over, so the
/// context has another id.
public enum EarlierTransfer: ConversationContextKey {
    /// The transfer.
    public typealias Value = BackgroundLabel
}
