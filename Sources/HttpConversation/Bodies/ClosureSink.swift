/// A sink that passes the body to a closure, such as one that feeds a parser or another library's stream.
///
/// It passes each piece as it arrives. If the body breaks off, the earlier pieces have been passed already, and the
/// error says so.
public struct ClosureSink: ResponseBodySink {
    private let take: @Sendable ([UInt8]) async throws -> Void

    /// - Parameter take: gets one piece after the other; suspends while there is no room for more
    public init(_ take: @escaping @Sendable (_ chunk: [UInt8]) async throws -> Void) { self.take = take }

    public func open() async throws(ConversationError) -> any ResponseBodyWriter { Writer(take: take) }

    private struct Writer: ResponseBodyWriter {
        let take: @Sendable ([UInt8]) async throws -> Void

        func write(_ chunk: [UInt8]) async throws(ConversationError) {
            do { try await take(chunk) } catch {
                throw .wrapping(error, as: .outputFailed, "The receiver of the response's body failed.")
            }
        }

        func complete() async {}
        func discard() async {}
    }
}
