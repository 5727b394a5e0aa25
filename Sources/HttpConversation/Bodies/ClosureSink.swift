/// A sink made of a closure, such as one that feeds a parser or a stream of another library.
///
/// It takes the pieces as they come: what was taken of a body that breaks off stays taken, and the error says so.
public struct ClosureSink: ResponseBodySink {
    private let take: @Sendable ([UInt8]) async throws -> Void

    /// - Parameter take: gets one piece after the other; suspends while there is no room for more
    public init(_ take: @escaping @Sendable (_ chunk: [UInt8]) async throws -> Void) { self.take = take }

    public func open() async throws(ConversationError) -> any ResponseBodyWriter { Writer(take: take) }

    private struct Writer: ResponseBodyWriter {
        let take: @Sendable ([UInt8]) async throws -> Void

        func write(_ chunk: [UInt8]) async throws(ConversationError) {
            do { try await take(chunk) } catch {
                throw .wrapping(error, as: .outputFailed, "Whoever takes the response's body failed.")
            }
        }

        func complete() async {}
        func discard() async {}
    }
}
