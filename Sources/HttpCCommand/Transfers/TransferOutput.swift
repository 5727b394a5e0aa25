import Foundation
import HttpC
import Synchronization

/// What the transfers of a run share: standard output, one body at a time, and the file of -D.
final class TransferOutput: Sendable {
    /// Whose turn it is at standard output.
    let turn = Turn()
    private let heads = Mutex("")

    /// A head for -D; on standard output where that is `-`.
    func add(_ head: String, to file: String) throws(ConversationError) {
        if file == "-" { return try StandardOutput.write(Array(head.utf8)) }
        heads.withLock { $0 += head }
    }

    /// Writes the file of -D, complete or not at all.
    func writeHeads(to file: String) async throws(CommandFailure) {
        let text = heads.withLock { $0 }
        guard file != "-" else { return }
        do throws(ConversationError) {
            try await OutputFile(URL(filePath: file)).write(ResponseBody(bytes: Array(text.utf8)))
        } catch { throw CommandFailure(error) }
    }
}
