public import Foundation
public import HttpConversation

/// A file whose bytes are sent, read in pieces as they are.
///
/// A pipe or device works as well: it has no length, and what was read of it is not there a second time.
public struct FileBody: RequestBodySource {
    /// Where it is.
    public let url: URL

    /// A file by its URL.
    public init(_ url: URL) { self.url = url }

    /// Opens it; its length is that of this moment.
    ///
    /// - Throws: ``HttpConversation/ConversationError/Code/bodyUnavailable``
    public func open() async throws(ConversationError) -> OpenedRequestBody {
        let reader = try await FileReader.open(url)
        return OpenedRequestBody(length: reader.length) { reader.stream() }
    }
}

extension RequestBody {
    /// A file that is read in pieces as it is sent. It must not change during the conversation.
    public static func file(_ url: URL) -> RequestBody { .source(FileBody(url)) }
}
