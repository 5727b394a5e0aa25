import Dispatch
import Foundation
import HttpConversation
import Synchronization

/// Reads an `InputStream` as a request body, on a queue of its own.
///
/// A read may wait without end, for example for the writer of a pipe, and Foundation cannot end the wait. The threads
/// that all other work of this kind shares are limited.
enum InputStreamBody {
    static func stream(_ input: sending InputStream) -> RequestBodyStream {
        let reader = Reader(input)
        let queue = DispatchQueue(label: "InputStreamBody")
        return RequestBodyStream {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { continuation.resume(with: Result { try reader.next() }) }
            }
        }
    }

    private final class Reader: Sendable {
        private let input: Mutex<InputStream>

        init(_ input: sending InputStream) { self.input = Mutex(input) }

        func next() throws(ConversationError) -> [UInt8]? {
            try input.withLock { input throws(ConversationError) in
                if input.streamStatus == .notOpen { input.open() }
                var result = 0
                let bytes = [UInt8](unsafeUninitializedCapacity: RequestBodyStream.pieceSize) { buffer, count in
                    guard let start = buffer.baseAddress else { return }
                    result = input.read(start, maxLength: buffer.count)
                    count = max(result, 0)
                }
                if result < 0 { throw Self.failure(input) }
                if bytes.isEmpty { input.close() }
                return bytes.isEmpty ? nil : bytes
            }
        }

        private static func failure(_ input: InputStream) -> ConversationError {
            #if canImport(FoundationNetworking)
            // Reading `streamError` traps here if it is nil.
            let cause: (any Error)? = nil
            #else
            let cause = input.streamError
            #endif
            return ConversationError(
                .bodyUnavailable, "The stream of the request body could not be read.", underlyingError: cause)
        }
    }
}
