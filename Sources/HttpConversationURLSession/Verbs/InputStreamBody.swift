import Foundation
import HttpConvConcurrency
import HttpConversation
import Synchronization

/// Reads an `InputStream` as a request body, on threads that may wait for it.
enum InputStreamBody {
    static func stream(_ input: sending InputStream) -> RequestBodyStream {
        let reader = Reader(input)
        return RequestBodyStream { try await Blocking.run { () throws(ConversationError) in try reader.next() } }
    }

    private final class Reader: Sendable {
        private let input: Mutex<InputStream>

        init(_ input: sending InputStream) { self.input = Mutex(input) }

        func next() throws(ConversationError) -> [UInt8]? {
            try input.withLock { input throws(ConversationError) in
                if input.streamStatus == .notOpen { input.open() }
                let bytes = [UInt8](unsafeUninitializedCapacity: RequestBodyStream.pieceSize) { buffer, count in
                    guard let start = buffer.baseAddress else { return }
                    count = max(input.read(start, maxLength: buffer.count), 0)
                }
                if let error = input.streamError {
                    throw ConversationError(
                        .bodyUnavailable, "The stream of the request body could not be read.", underlyingError: error)
                }
                if bytes.isEmpty { input.close() }
                return bytes.isEmpty ? nil : bytes
            }
        }
    }
}
