import HttpConvConcurrency
public import HttpConvPlatform

/// A destination for a response body as it arrives, such as a file. The engine itself writes nowhere.
///
/// `OutputFile` of `HttpConvFiles` is one; `HttpConversationManager.download(for:to:)` takes any.
public protocol ResponseBodySink: Sendable {
    /// The file that the sink writes; nil for other sinks. Default: nil.
    var file: URL? { get }
    /// Prepares for one body. Called when the head of the final response has arrived, before any of its body.
    ///
    /// - Throws: ``ConversationError/Code/outputFailed``, with the place and the reason
    func open() async throws(ConversationError) -> any ResponseBodyWriter
}

/// Writes one body into a ``ResponseBodySink``. One call at a time; none after ``complete()`` or ``discard()``.
public protocol ResponseBodyWriter: Sendable {
    /// Writes the next bytes, and suspends while there is no room for more.
    func write(_ chunk: [UInt8]) async throws(ConversationError)
    /// Completes the body. If this fails, the writer removes everything it can.
    func complete() async throws(ConversationError)
    /// Discards a body that broke off or could not be written. The writer removes everything it can.
    func discard() async
}

/// A writer whose calls block a thread, such as a file's.
package protocol BlockingBodyWriter: ResponseBodyWriter {}

extension ResponseBodySink {
    public var file: URL? { nil }

    /// Writes a body, complete or not at all; cancelling the task discards it.
    ///
    /// - Parameters:
    ///   - body: the body to write
    ///   - progress: called with the number of bytes written so far
    /// - Throws: ``ConversationError/Code/outputFailed`` for every failure of the sink, else the body's own error
    public func write(
        _ body: ResponseBody, progress: (Int) -> Void = { _ in }
    ) async throws(ConversationError) {
        let writer = try await open()
        guard writer is any BlockingBodyWriter else { return try await fill(writer, from: body, progress) }
        // Runs on a thread that may block, so that no chunk changes threads.
        try await Blocking.compute { () async throws(ConversationError) in
            try await fill(writer, from: body, progress)
        }
    }

    private func fill(
        _ writer: any ResponseBodyWriter, from body: ResponseBody, _ progress: (Int) -> Void
    ) async throws(ConversationError) {
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
