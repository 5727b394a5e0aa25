public import Foundation
public import HttpConversation

/// A file whose bytes are sent, read in pieces as they are.
///
/// One that changes while it is sent ends in ``/HttpConversation/ConversationError/Code/bodyUnavailable``, and never arrives
/// whole. A pipe or device works as well: it has no length, and what was read of it is not there a second time.
public struct FileBody: RequestBodySource {
    /// Where it is.
    public let url: URL

    /// A file by its URL.
    public init(_ url: URL) { self.url = url }

    /// Opens it; its length is that of this moment.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/bodyUnavailable``
    public func open() async throws(ConversationError) -> OpenedRequestBody {
        let reader = try await FileReader.open(url)
        return OpenedRequestBody(length: reader.length) { reader.stream() }
    }
}

extension RequestBody {
    /// A file that is read in pieces as it is sent. It must not change meanwhile: see ``FileBody``.
    public static func file(_ url: URL) -> RequestBody { .source(FileBody(url)) }
}

extension MultipartPart {
    /// A file as a part of a form, under its own name.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidRequest``, as every part
    public static func file(
        _ name: String, _ url: URL, contentType: String = "application/octet-stream"
    ) throws(ConversationError) -> MultipartPart {
        try .file(name, .file(url), filename: url.lastPathComponent, contentType: contentType)
    }
}
