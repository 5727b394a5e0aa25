public import HttpConversation

/// A stream of a media entity as it arrives.
public struct ODataMedia: Sendable {
    /// The stream's media type.
    public let contentType: String?
    /// The version of the stream.
    public let etag: String?
    /// The length in bytes, if the service announced it.
    public let expectedLength: Int?
    /// The bytes, with back-pressure. Dropping the body ends the request.
    public let body: ResponseBody
}
