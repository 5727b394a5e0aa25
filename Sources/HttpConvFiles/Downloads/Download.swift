import HttpConvPlatform
public import HttpConversation
import Synchronization

/// A running download: its id, its progress, its outcome, and a way to stop it so that it can be resumed.
///
/// ```swift
/// let download = try manager.startDownload(HTTPRequest(.get, "https://example.com/big.iso"), to: file)
/// for await progress in download.progress { print(progress.received, progress.rate ?? 0) }
/// let complete = try await download.value
/// ```
/// Dropping the handle does not stop the download.
public struct Download: Sendable {
    /// The result, and the token to resume from.
    struct Outcome: Sendable {
        let result: Result<DownloadedFile, ConversationError>
        let token: DownloadToken?
    }

    /// The progress as bytes are written; only the newest value is kept. For one consumer; ends with the download.
    public let progress: AsyncStream<DownloadProgress>
    private let conversation: Conversation<ConversationStream>
    private let task: Task<Outcome, Never>

    init(
        _ conversation: Conversation<ConversationStream>, _ resumption: Resumption, to file: URL,
        clock: any Clock<Duration> & Sendable
    ) {
        let (progress, continuation) = AsyncStream<DownloadProgress>.makeStream(bufferingPolicy: .bufferingNewest(1))
        self.progress = progress
        self.conversation = conversation
        let id = conversation.id
        task = Task {
            let report = Self.report(to: continuation, clock)
            let result: Result<DownloadedFile, ConversationError>
            do throws(ConversationError) {
                let stream = try await conversation.value
                result = .success(try await Self.receive(stream, resumption, to: file, report))
            } catch {
                await resumption.close()
                result = .failure(error)
            }
            if case .success(let complete) = result {
                await conversation.context.downloaded(complete.response, to: complete.file)
            }
            await conversation.context.completed(result.map(\.response))
            continuation.finish()
            RunningDownloads.shared.remove(id)
            return Outcome(result: result, token: resumption.left)
        }
        RunningDownloads.shared.add(self)
    }

    private static func receive(
        _ stream: ConversationStream, _ resumption: Resumption, to file: URL, _ report: (Int, Int?) -> Void
    ) async throws(ConversationError) -> DownloadedFile {
        do throws(ConversationError) {
            let start = try await resumption.receive(stream, progress: report)
            return DownloadedFile(
                file: file, response: stream.response(with: []), resumedAt: start, startedOver: resumption.startedOver)
        } catch {
            throw error.inConversation(of: stream)
        }
    }

    private static func report(
        to continuation: AsyncStream<DownloadProgress>.Continuation, _ clock: any Clock<Duration> & Sendable
    ) -> (Int, Int?) -> Void {
        var meter = DownloadMeter(clock)
        return { received, total in continuation.yield(meter.progress(received, of: total)) }
    }

    /// The id of its conversation. Stays the same if the download starts over.
    public var id: ConversationID { conversation.id }
    /// The conversation's context.
    public var context: ConversationContext { conversation.context }
    /// The conversation's events; see ``/HttpConversation/Conversation/events``.
    public var events: AsyncStream<ConversationEvent> { conversation.events }

    /// The result, available when the download has ended.
    public var result: Result<DownloadedFile, ConversationError> {
        get async { await task.value.result }
    }

    /// The complete file.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/notResumable`` for a token that does not fit,
    ///   ``/HttpConversation/ConversationError/Code/unsuccessfulStatus`` for a status other than 2xx,
    ///   ``/HttpConversation/ConversationError/Code/outputFailed`` for problems with the file, else the errors of every
    ///   conversation. The message says where the received bytes are kept
    public var value: DownloadedFile {
        get async throws(ConversationError) { try await task.value.result.get() }
    }

    /// The token to resume from, if the download ended before it was complete; nil if nothing was kept, because the
    /// server gave no strong validator or no length.
    public var token: DownloadToken? {
        get async { await task.value.token }
    }

    /// Stops the download.
    ///
    /// - Returns: the token to resume from; nil if it was already complete, or nothing was kept
    @discardableResult
    public func cancel() async -> DownloadToken? {
        conversation.cancel()
        task.cancel()
        return await token
    }
}
