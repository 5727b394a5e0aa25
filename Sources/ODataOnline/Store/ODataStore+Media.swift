import HTTPTypes
import HttpConvFormats
public import HttpConversation

/// Streams of media entities.
extension ODataStore {
    /// Reads the stream of a media entity.
    ///
    /// - Parameter path: the entity, or a property that is a stream (4.0). Without a model, a name behind an entity is such a
    ///   property
    public func media(_ path: ODataPath) async throws(ODataError) -> ODataMedia {
        try await media(client.target(ODataQuery(stream(path))))
    }

    /// Reads the stream of a media entity by its row.
    ///
    /// A link to the stream that leads out of the service is not followed; then the stream is read at the entity. If the
    /// link to the entity leads out, too, use ``media(_:)`` with ``path(of:in:)``.
    public func media(of row: ODataRow) async throws(ODataError) -> ODataMedia {
        let path = row.path
        if let link = row.annotations.mediaReadLink {
            let hasOther = path.map { client.leadsInside($0) } ?? false
            if client.leadsInside(ODataPath(link: link)) || !hasOther {
                return try await media(client.root.inside(link, from: root))
            }
        }
        guard let path else {
            throw ODataError(.invalidRequest, "The row does not say where it is: ask for its stream by its key.")
        }
        return try await media(path)
    }

    private func media(_ target: TargetURL) async throws(ODataError) -> ODataMedia {
        let stream = try await client.stream(.get, target, [.accept: "*/*"])
        return ODataMedia(
            contentType: stream.headerFields[.contentType], etag: stream.headerFields[.eTag],
            expectedLength: stream.expectedLength, body: stream.body)
    }

    /// Creates a media entity from its stream. The service makes its properties.
    ///
    /// - Parameters:
    ///   - body: the stream, such as a file
    ///   - contentType: the media type, such as `image/png`
    ///   - slug: a name for the entity, which services may use (RFC 5023 §9.7)
    ///   - path: the entity set
    @discardableResult
    public func createMedia(
        _ body: RequestBody, contentType: String, slug: String? = nil, in path: ODataPath
    ) async throws(ODataError) -> ODataWritten {
        var fields: HTTPFields = [.contentType: try Self.checked(contentType)]
        if let slug { fields[.slug] = PercentEncoding.encoded(slug) }
        let answer = try await client.answer(.post, client.target(ODataQuery(path)), fields, body: body)
        let type = client.typeName(at: path, in: model)
        return try client.written(answer, to: ServiceRequest(method: .post, path: path, type: type), model)
    }

    /// Replaces the stream of a media entity.
    ///
    /// - Parameters:
    ///   - path: the entity, or a property that is a stream (4.0)
    ///   - body: the stream, such as a file
    ///   - contentType: the media type, such as `image/png`
    ///   - etag: the version of the stream that is replaced
    public func updateMedia(
        _ path: ODataPath, _ body: RequestBody, contentType: String, ifMatch etag: String? = nil
    ) async throws(ODataError) {
        var fields = try RequestMaker.ifMatch(etag)
        fields[.contentType] = try Self.checked(contentType)
        let target = try client.target(ODataQuery(stream(path)))
        _ = try await client.answer(.put, target, fields, body: body)
    }

    /// The address of a stream: that of a property that is a stream, or `$value` of an entity. In OData 4.0 a name at the
    /// end of a path is taken for such a property if the model does not know it.
    private func stream(_ path: ODataPath) -> ODataPath {
        let type = client.typeName(at: path, in: model)
        var isProperty = type == "Edm.Stream"
        if version == .v4, type == nil, path.segments.count > 1, case .name(let name)? = path.segments.last {
            // The name of a type has a dot.
            isProperty = !name.contains(".")
        }
        return isProperty ? path : path.value
    }

    private static func checked(_ contentType: String) throws(ODataError) -> String {
        guard contentType.utf8.contains(UInt8(ascii: "/")), contentType.isPrintableASCII
        else { throw ODataError(.invalidRequest, "The type of the stream is not a media type, such as image/png.") }
        return contentType
    }
}

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
