public import Foundation
public import HTTPTypes
public import HttpConversation

extension HttpConversationManager {
    /// Holds a conversation and writes the final response's body to a file.
    ///
    /// The file appears complete or not at all, and what was there stays until then: see ``OutputFile``. A status that is no
    /// success (2xx) touches no file: an error page never takes a good file's place.
    ///
    /// - Parameter progress: told what was written, how fast it comes and how long it still takes. From any thread
    /// - Returns: the response, with no bytes in memory
    /// - Throws: ``/HttpConversation/ConversationError/Code/unsuccessfulStatus`` with the response and the first MiB of its
    ///   body, ``/HttpConversation/ConversationError/Code/outputFailed`` for everything about the file, else what every
    ///   conversation throws
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

    /// The completion form of ``startDownload(_:body:to:delegate:prepare:)``; see there, and for where `completion` runs
    /// `executeRequest(_:body:delegate:prepare:completion:)`.
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
    /// The body goes into a file, complete or not at all; see ``OutputFile``.
    public static func becomeDownload(to file: URL) -> ResponseDisposition { .becomeDownload(into: OutputFile(file)) }
}
