public import Foundation
public import HTTPTypes
public import HttpConversation

extension HttpConversationManager {
    /// Starts to download a resource into a file, in a task of its own, so that it can go on where it breaks off.
    ///
    /// The file appears complete or not at all. Until then its bytes are beside it in a file that only its owner can read;
    /// where the server gives a strong validator and a length, that stays when the download breaks off, and the message
    /// of the error says where. A status that is no success writes nothing.
    ///
    /// - Parameters:
    ///   - request: that of the whole resource; only a `GET` without a body can go on later
    ///   - delegate: looks into this conversation, beside the manager's; what it is shown are the bytes that arrive
    ///   - prepare: puts values into the conversation's context before it starts
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidRequest``, also for one with `Range` or `If-Range`
    public func startDownload(
        _ request: HTTPRequest, body: RequestBody? = nil, to file: URL, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) throws(ConversationError) -> Download {
        try startDownload(request, body, to: file, from: nil, delegate, prepare)
    }

    /// Goes on with a download that broke off: what is there stays, where the resource is still the same.
    ///
    /// Whether it is, its strong validator says (RFC 9110 §13.1.5). Of a changed resource, and from a server that does not
    /// send the rest, the whole is downloaded, and ``DownloadedFile/startedOver`` says why: bytes of two states of a
    /// resource never meet in a file.
    ///
    /// - Parameters:
    ///   - request: for the same URL as before, or for the same resource where the URL was signed anew (a presigned URL):
    ///     then only the parameters of its signature may differ. The token has no fields and no credentials
    ///   - token: of ``Download/cancel()``, ``Download/token`` or ``DownloadToken/find(for:)``. What is wrong with it is
    ///     the outcome's ``/HttpConversation/ConversationError/Code/notResumable``, and nothing is sent
    public func startDownload(
        _ request: HTTPRequest, resuming token: DownloadToken, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) throws(ConversationError) -> Download {
        try startDownload(request, nil, to: token.file, from: token, delegate, prepare)
    }

    /// Ends a download that is under way, by the id of its conversation.
    ///
    /// - Returns: what it can go on from; nil where there is no such download, or nothing was kept
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
