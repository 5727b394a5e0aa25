public import Foundation

/// Where the body of a response goes as it arrives, such as a file. The engine itself writes nowhere.
///
/// `OutputFile` of `HttpConvFiles` is one; `HttpConversationManager.download(for:to:)` takes any.
public protocol ResponseBodySink: Sendable {
    /// Where the body is once it is complete, for a sink that is a file. Default: nil.
    var file: URL? { get }
    /// Gets ready for one body. Called when the head of the final response is there, before any of its body.
    ///
    /// - Throws: ``ConversationError/Code/outputFailed``, with where and why
    func open() async throws(ConversationError) -> any ResponseBodyWriter
}

/// One body on its way into a ``ResponseBodySink``. One call at a time; after ``complete()`` or ``discard()`` no other.
public protocol ResponseBodyWriter: Sendable {
    /// Takes the next bytes, and suspends while there is no room for more.
    func write(_ chunk: [UInt8]) async throws(ConversationError)
    /// The body is whole: from now on it counts. Where this fails, nothing of it is left where that can be helped.
    func complete() async throws(ConversationError)
    /// The body broke off or could not be written: nothing of it is left where that can be helped.
    func discard() async
}

extension ResponseBodySink {
    public var file: URL? { nil }

    /// Writes a body, complete or not at all; cancelling the task discards it.
    ///
    /// - Parameters:
    ///   - body: what is written
    ///   - progress: called with the number of bytes written so far
    /// - Throws: ``ConversationError/Code/outputFailed`` for everything about the sink, else the body's own error
    public func write(
        _ body: ResponseBody, progress: (Int) -> Void = { _ in }
    ) async throws(ConversationError) {
        let writer = try await open()
        do throws(ConversationError) {
            var written = 0
            while let chunk = try await body.next() {
                try await writer.write(chunk)
                written += chunk.count
                progress(written)
            }
        } catch {
            await writer.discard()
            throw error
        }
        try await writer.complete()
    }
}
