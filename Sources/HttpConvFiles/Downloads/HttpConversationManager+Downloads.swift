public import HTTPTypes
public import HttpConvPlatform
public import HttpConversation

extension HttpConversationManager {
    /// Starts to download a resource into a file, in a task of its own, so that it can be resumed after an
    /// interruption.
    ///
    /// The file appears complete or not at all. Until then the bytes are in a file beside it that only its owner can
    /// read. If the server gives a strong validator and a length, that file is kept when the download is interrupted,
    /// and the error's message says where. A status other than 2xx writes nothing. If another such download into the
    /// file is running, the outcome is ``/HttpConversation/ConversationError/Code/notResumable``.
    ///
    /// - Parameters:
    ///   - request: the request for the whole resource; only a `GET` without a body can be resumed
    ///   - delegate: observes this conversation, in addition to the manager's delegate; it sees the bytes that arrive
    ///   - prepare: puts values into the conversation's context before it starts
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidRequest``, also for a request with `Range` or
    ///   `If-Range`
    public func startDownload(
        _ request: HTTPRequest, body: RequestBody? = nil, to file: URL, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) throws(ConversationError) -> Download {
        try startDownload(request, body, to: file, from: nil, delegate, prepare)
    }

    /// Resumes an interrupted download: keeps the existing bytes if the resource is still the same.
    ///
    /// Its strong validator decides that (RFC 9110 §13.1.5). If the resource has changed, or the server does not send
    /// the rest, the whole is downloaded, and ``DownloadedFile/startedOver`` has the reason. A file never mixes bytes
    /// of two states of a resource.
    ///
    /// - Parameters:
    ///   - request: a request for the same URL as before, or for the same resource with a new signature (a presigned
    ///     URL); then only the signature's parameters may differ. The token has no fields and no credentials
    ///   - token: from ``Download/cancel()``, ``Download/token`` or ``DownloadToken/find(for:)``. If it is invalid,
    ///     nothing is sent, and the outcome is ``/HttpConversation/ConversationError/Code/notResumable``
    public func startDownload(
        _ request: HTTPRequest, resuming token: DownloadToken, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) throws(ConversationError) -> Download {
        try startDownload(request, nil, to: token.file, from: token, delegate, prepare)
    }

    /// Stops a running download, by the id of its conversation.
    ///
    /// - Returns: the token to resume from; nil if there is no such download, or nothing was kept
    @discardableResult
    public func cancelDownload(_ id: ConversationID) async -> DownloadToken? {
        await RunningDownloads.shared[id]?.cancel()
    }

    private func startDownload(
        _ request: HTTPRequest, _ body: RequestBody?, to file: URL, from token: DownloadToken?,
        _ delegate: (any ConversationDelegate)?, _ prepare: @Sendable (ConversationContext) -> Void
    ) throws(ConversationError) -> Download {
        let resumption = try Resumption(request, to: file, from: token, hasBody: body != nil)
        let manager = copy()
        manager.update { $0.add(resumption) }
        let conversation = try manager.startTransfer(request, body: body, delegate: delegate, prepare: prepare)
        return Download(conversation, resumption, to: file, clock: configuration.clock)
    }
}
