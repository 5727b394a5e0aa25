import Foundation
import HttpC

/// Standard output as it takes it: chunk by chunk, nothing kept.
enum StandardOutput {
    static func write(
        _ body: ResponseBody, progress: (Int) -> Void
    ) async throws(ConversationError) {
        var count = 0
        while let chunk = try await body.next() {
            try write(chunk)
            count += chunk.count
            progress(count)
        }
    }

    static func write(_ bytes: [UInt8]) throws(ConversationError) {
        let code = Posix.writeAll(1, bytes)
        guard code == 0 else {
            throw ConversationError(.outputFailed, "Cannot write to standard output: \(Posix.reason(code)).")
        }
    }
}
