/// What a service says about an entity beside its properties: `__metadata` of OData 2.0, control information of 4.0.
public struct ODataAnnotations: Hashable, Sendable {
    /// The version of the entity, for `If-Match`.
    public internal(set) var etag: String?
    /// Names the entity, and mostly is its address.
    public internal(set) var id: String?
    /// Where the entity is changed and deleted.
    public internal(set) var editLink: String?
    /// The qualified name of its type.
    public internal(set) var type: String?
    /// Where a media entity's stream is read.
    public internal(set) var mediaReadLink: String?
    /// Where a media entity's stream is changed.
    public internal(set) var mediaEditLink: String?
    /// What the stream is.
    public internal(set) var mediaContentType: String?
    /// The version of the stream.
    public internal(set) var mediaETag: String?
    /// What is said about single properties, such as `Items@odata.nextLink`.
    public internal(set) var properties: [String: String] = [:]

    /// Nothing.
    public init() {}

    /// The names of both versions, prefixes left out.
    mutating func note(_ name: Substring, _ text: String) {
        switch name {
        case "etag": etag = text
        case "id": id = text
        case "editLink", "uri": editLink = text
        case "type": type = text.hasPrefix("#") ? String(text.dropFirst()) : text
        case "mediaReadLink", "media_src": mediaReadLink = text
        case "mediaEditLink", "edit_media": mediaEditLink = text
        case "mediaContentType", "content_type": mediaContentType = text
        case "mediaEtag", "media_etag": mediaETag = text
        default: break
        }
    }
}
