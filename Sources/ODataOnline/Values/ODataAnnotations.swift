/// The service's statements about an entity beside its properties: `__metadata` of OData 2.0, control information of
/// 4.0.
public struct ODataAnnotations: Hashable, Sendable {
    /// The version of the entity, for `If-Match`.
    public internal(set) var etag: String?
    /// The id of the entity, which usually is its address.
    public internal(set) var id: String?
    /// The link for changing and deleting the entity.
    public internal(set) var editLink: String?
    /// The qualified name of its type.
    public internal(set) var type: String?
    /// The link for reading a media entity's stream.
    public internal(set) var mediaReadLink: String?
    /// The link for changing a media entity's stream.
    public internal(set) var mediaEditLink: String?
    /// The media type of the stream.
    public internal(set) var mediaContentType: String?
    /// The version of the stream.
    public internal(set) var mediaETag: String?
    /// Annotations of single properties, such as `Items@odata.nextLink`: the link to the rest of an expanded
    /// collection, of which the row has only the first page. It has this name for all versions, also if the service
    /// leaves out the prefix `odata.`.
    public internal(set) var properties: [String: String] = [:]

    /// Empty annotations.
    public init() {}

    /// Notes an annotation by its name of either version, without its prefix.
    mutating func note(_ name: Substring, _ text: String) {
        switch name {
        case "etag": etag = text
        case "id": id = text
        case "editLink", "uri": editLink = text
        case "type": type = Self.typeName(text)
        case "mediaReadLink", "media_src": mediaReadLink = text
        case "mediaEditLink", "edit_media": mediaEditLink = text
        case "mediaContentType", "content_type": mediaContentType = text
        case "mediaEtag", "media_etag": mediaETag = text
        default: break
        }
    }

    /// The qualified name of a type, which OData 4.0 writes behind a `#`.
    static func typeName(_ text: String) -> String { text.hasPrefix("#") ? String(text.dropFirst()) : text }
}
