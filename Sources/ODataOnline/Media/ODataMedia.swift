public import HttpConversation

/// A stream of a media entity as it arrives.
public struct ODataMedia: Sendable {
    /// What it is.
    public let contentType: String?
    /// The version of the stream.
    public let etag: String?
    /// Its length in bytes, where it was announced.
    public let expectedLength: Int?
    /// The bytes, with back-pressure. Dropping it ends the request.
    public let body: ResponseBody
}
