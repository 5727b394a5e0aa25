public import HttpConvPlatform
public import HttpConversation

/// A file as a request body, read in pieces while it is sent.
///
/// If the file changes meanwhile, sending ends in ``/HttpConversation/ConversationError/Code/bodyUnavailable``, and the
/// server never gets a complete body. Pipes and devices work as well: they have no length, and can be read only once.
public struct FileBody: RequestBodySource {
    /// The file's URL.
    public let url: URL

    /// Creates a body from a file's URL.
    public init(_ url: URL) { self.url = url }

    /// Opens the file. Its length is the one at this moment.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/bodyUnavailable``
    public func open() async throws(ConversationError) -> OpenedRequestBody {
        let reader = try await FileReader.open(url)
        return OpenedRequestBody(length: reader.length) { reader.stream() }
    }
}

extension RequestBody {
    /// A file that is read in pieces while it is sent. It must not change meanwhile: see ``FileBody``.
    public static func file(_ url: URL) -> RequestBody { .source(FileBody(url)) }
}

extension MultipartPart {
    /// A file as a part of a form, under its own name.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidRequest``, like every part
    public static func file(
        _ name: String, _ url: URL, contentType: String = "application/octet-stream"
    ) throws(ConversationError) -> MultipartPart {
        try .file(name, .file(url), filename: url.lastPathComponent, contentType: contentType)
    }
}
