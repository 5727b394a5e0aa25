import HttpC
import HttpCTerminal
import HttpConvPlatform
import Synchronization

/// The output that the transfers of a run share: standard output, one body at a time, and the file of -D.
final class TransferOutput: Sendable {
    let isTerminal: Bool
    /// The progress bar on the same terminal.
    private let progress: ProgressBar?
    private let standardOutput = AsyncLock()
    private let heads = Mutex("")

    init(_ progress: ProgressBar?) {
        isTerminal = isatty(1) != 0
        self.progress = isTerminal ? progress : nil
    }

    /// Waits until no other transfer writes to standard output.
    func lock() async {
        await standardOutput.lock()
        progress?.pause()
    }

    /// Admits the next transfer to standard output.
    func unlock() {
        progress?.resume()
        standardOutput.unlock()
    }

    /// Adds a head for -D; writes it to standard output for `-`.
    func add(_ head: String, to file: String) throws(ConversationError) {
        if file == "-" { return try StandardOutput.write(Array(head.utf8)) }
        heads.withLock { $0 += head }
    }

    /// Writes the file of -D atomically. Only its owner may read a new file, because heads have cookies.
    func writeHeads(to file: String) async throws(CommandFailure) {
        let text = heads.withLock { $0 }
        if file != "-" { try await OutputFile.write(text, to: file, isPrivate: access(file, F_OK) != 0) }
    }
}
