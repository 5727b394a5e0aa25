import Foundation
public import HttpConversation
import Synchronization

/// A download under way: its id, how far it is, its outcome, and the way to end it so that it can go on later.
///
/// ```swift
/// let download = try manager.startDownload(HTTPRequest(.get, "https://example.com/big.iso"), to: file)
/// for await progress in download.progress { print(progress.received, progress.rate ?? 0) }
/// let complete = try await download.value
/// ```
/// Dropping the handle does not end it.
public struct Download: Sendable {
    /// What came of it, and what is left to go on from.
    struct Outcome: Sendable {
        let result: Result<DownloadedFile, ConversationError>
        let token: DownloadToken?
    }

    /// How far it is, as the bytes are written; the newest counts. For one consumer; ends with the download.
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

    /// The id of its conversation, also where it starts over.
    public var id: ConversationID { conversation.id }
    /// The conversation's context.
    public var context: ConversationContext { conversation.context }
    /// What happens; see ``/HttpConversation/Conversation/events``.
    public var events: AsyncStream<ConversationEvent> { conversation.events }

    /// The outcome, once it has ended.
    public var result: Result<DownloadedFile, ConversationError> {
        get async { await task.value.result }
    }

    /// The complete file.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/notResumable`` for a token that does not fit,
    ///   ``/HttpConversation/ConversationError/Code/unsuccessfulStatus`` for a status that is no success,
    ///   ``/HttpConversation/ConversationError/Code/outputFailed`` for everything about the file, else what every
    ///   conversation throws. The message says where what has arrived is kept
    public var value: DownloadedFile {
        get async throws(ConversationError) { try await task.value.result.get() }
    }

    /// What the download can go on from, once it has ended without being complete; nil where nothing was kept: the
    /// server gives no strong validator, or no length.
    public var token: DownloadToken? {
        get async { await task.value.token }
    }

    /// Ends it.
    ///
    /// - Returns: what it can go on from; nil where it was complete before, or nothing was kept
    @discardableResult
    public func cancel() async -> DownloadToken? {
        conversation.cancel()
        task.cancel()
        return await token
    }
}
