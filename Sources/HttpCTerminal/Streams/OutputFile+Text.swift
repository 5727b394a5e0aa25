import HttpC
import HttpConvPlatform

extension OutputFile {
    /// Writes a text atomically. The last of several processes that write one file wins.
    ///
    /// - Parameter isPrivate: whether only its owner may read the file
    package static func write(_ text: String, to path: String, isPrivate: Bool = false) async throws(CommandFailure) {
        do throws(ConversationError) {
            let file = OutputFile(URL(exactPath: path), isPrivate: isPrivate, lastWriterWins: true)
            try await file.write(ResponseBody(bytes: Array(text.utf8)))
        } catch { throw CommandFailure(error) }
    }
}
