public import HttpConvPlatform
public import HttpConversation

/// A complete download.
public struct DownloadedFile: Sendable {
    /// The URL of the file.
    public let file: URL
    /// The final response, with no bytes in memory; for a resumed download, the response with the rest.
    public let response: ConversationResponse
    /// The number of bytes that were there before; 0 for a download from the start.
    public let resumedAt: Int
    /// The reason why existing bytes were not used; nil if they were used, or there were none.
    public let startedOver: StartOver?

    /// The reason why a download starts over.
    public enum StartOver: String, Sendable, CaseIterable {
        /// The resource has changed: it has another validator or length.
        case changed = "the resource has changed"
        /// The server sent the whole resource, although it has not changed.
        case rangesIgnored = "the server sends the whole"
        /// The server's range does not begin where the rest does, or is not all of it.
        case otherRange = "the server sent another range"
        /// The server sent the bytes in a content coding or in several parts.
        case coded = "the server sent the range in another form"
    }
}
