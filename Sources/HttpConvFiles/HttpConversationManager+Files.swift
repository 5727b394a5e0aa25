public import Foundation
public import HTTPTypes
public import HttpConversation

extension HttpConversationManager {
    /// Holds a conversation and writes the final response's body to a file, whatever its status.
    ///
    /// The file appears complete or not at all, and what was there stays until then: see ``OutputFile``.
    ///
    /// - Parameter progress: called with the bytes that were written and those that were announced; nil where nothing
    ///   was, or a content coding hides it. From any thread
    /// - Returns: the response, with no bytes in memory
    public func download(
        for request: HTTPRequest, body: RequestBody? = nil, to file: URL,
        progress: @Sendable (_ received: Int, _ expected: Int?) -> Void = { _, _ in },
        prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> ConversationResponse {
        try await download(for: request, body: body, to: OutputFile(file), progress: progress, prepare: prepare)
    }

    /// Fetches a resource into a file; see ``download(for:body:to:progress:prepare:)``.
    ///
    /// - Parameter url: absolute, http or https
    public func download(
        for url: some TargetURLConvertible, to file: URL,
        progress: @Sendable (_ received: Int, _ expected: Int?) -> Void = { _, _ in }
    ) async throws(ConversationError) -> ConversationResponse {
        try await download(for: HTTPRequest(.get, url), to: file, progress: progress)
    }
}
