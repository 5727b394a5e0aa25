public import HTTPTypes
public import HttpConvPlatform
public import HttpConversation

extension HttpConversationManager {
    /// Runs a conversation and writes the final response's body to a file.
    ///
    /// The file appears complete or not at all, and an existing one stays until then: see ``OutputFile``. A status
    /// other than 2xx touches no file, so an error page never replaces a good file.
    ///
    /// - Parameter progress: receives the bytes written, the rate and the time left. Called from any thread
    /// - Returns: the response, with no bytes in memory
    /// - Throws: ``/HttpConversation/ConversationError/Code/unsuccessfulStatus`` with the response and the first MiB of
    ///   its body, ``/HttpConversation/ConversationError/Code/outputFailed`` for problems with the file, else the
    ///   errors of every conversation
    public func download(
        for request: HTTPRequest, body: RequestBody? = nil, to file: URL,
        progress: @Sendable (DownloadProgress) -> Void = { _ in },
        delegate: (any ConversationDelegate)? = nil, prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> ConversationResponse {
        try await download(
            for: request, body: body, to: OutputFile(file), progress: progress, delegate: delegate, prepare: prepare)
    }

    /// Fetches a resource into a file; see ``download(for:body:to:progress:prepare:)``.
    ///
    /// - Parameter url: absolute, http or https
    public func download(
        for url: some TargetURLConvertible, to file: URL,
        progress: @Sendable (DownloadProgress) -> Void = { _ in }
    ) async throws(ConversationError) -> ConversationResponse {
        try await download(for: HTTPRequest(.get, url), to: file, progress: progress)
    }

    /// The completion form of ``startDownload(_:body:to:delegate:prepare:)``. See
    /// `executeRequest(_:body:delegate:prepare:completion:)` for where `completion` runs.
    @discardableResult
    public func executeDownloadRequest(
        _ request: HTTPRequest, body: RequestBody? = nil, to file: URL, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in },
        completion: @escaping @Sendable (Result<DownloadedFile, ConversationError>) async -> Void
    ) -> Download? {
        Self.execute(completion) { download in
            await download.result
        } start: { () throws(ConversationError) in
            try startDownload(request, body: body, to: file, delegate: delegate, prepare: prepare)
        }
    }

    /// The completion form of ``startDownload(_:resuming:delegate:prepare:)``.
    @discardableResult
    public func executeDownloadRequest(
        _ request: HTTPRequest, resuming token: DownloadToken, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in },
        completion: @escaping @Sendable (Result<DownloadedFile, ConversationError>) async -> Void
    ) -> Download? {
        Self.execute(completion) { download in
            await download.result
        } start: { () throws(ConversationError) in
            try startDownload(request, resuming: token, delegate: delegate, prepare: prepare)
        }
    }
}

extension ResponseDisposition {
    /// Writes the body to a file, complete or not at all; see ``OutputFile``.
    public static func becomeDownload(to file: URL) -> ResponseDisposition { .becomeDownload(into: OutputFile(file)) }
}
