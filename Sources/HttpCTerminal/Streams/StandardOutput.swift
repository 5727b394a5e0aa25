package import HttpC
import HttpConvFormats
import HttpConvPlatform
import HttpConvSystem
import Synchronization

/// Standard output, written chunk by chunk without buffering.
package enum StandardOutput {
    private static let isLineOpen = Atomic(false)

    /// Whether the last text did not end its line. Resets the state, because the caller ends the line.
    static func takeOpenLine() -> Bool { isLineOpen.exchange(false, ordering: .relaxed) }

    package static func write(
        _ body: ResponseBody, progress: (Int) -> Void
    ) async throws(ConversationError) {
        var count = 0
        while let chunk = try await body.next() {
            try write(chunk)
            count += chunk.count
            progress(count)
        }
    }

    /// Writes a body to a terminal, in a form for people.
    package static func write(
        _ body: ResponseBody, for terminal: TerminalBody, progress: (Int) -> Void
    ) async throws(ConversationError) {
        var terminal = terminal
        var count = 0
        do throws(ConversationError) {
            while let chunk = try await body.next() {
                try write(terminal.take(chunk))
                count += chunk.count
                progress(count)
            }
        } catch {
            // The part before the error is shown, as for other outputs.
            if error.code != .outputFailed { try write(terminal.finish()) }
            throw error
        }
        try write(terminal.finish())
    }

    package static func print(_ text: String) throws(CommandFailure) {
        do throws(ConversationError) { try write(Array(text.utf8)) } catch { throw CommandFailure(error) }
    }

    package static func write(_ bytes: [UInt8]) throws(ConversationError) {
        if let last = bytes.last { isLineOpen.store(last != UInt8(ascii: "\n"), ordering: .relaxed) }
        let code = SystemCalls.writeAll(1, bytes)
        guard code == 0 else {
            throw ConversationError(.outputFailed, "Cannot write to standard output: \(Posix.reason(code)).")
        }
    }
}
