import HttpC
import HttpConvPlatform

extension OutputFile {
    /// Writes a text atomically.
    ///
    /// - Parameter isPrivate: whether only its owner may read the file
    package static func write(_ text: String, to path: String, isPrivate: Bool = false) async throws(CommandFailure) {
        do throws(ConversationError) {
            let file = OutputFile(URL(exactPath: path), isPrivate: isPrivate)
            try await file.write(ResponseBody(bytes: Array(text.utf8)))
        } catch { throw CommandFailure(error) }
    }
}
