import HTTPTypes
import HttpConvFormats

/// Links between entities: `$links` of OData 2.0, `$ref` of 4.0.
extension ODataStore {
    /// The paths of the entities that a navigation property leads to, from all pages of the answer, as the service wrote
    /// them. If they lead out of the service, they cannot be used: read the entities and use ``path(of:in:)``.
    public func links(_ path: ODataPath) async throws(ODataError) -> [ODataPath] {
        let first = try await client.answer(.get, client.target(ODataQuery(reference(path))))
        guard first.status != 204 else { return [] }
        var pages = PagedAnswers(client, first: first)
        var paths: [ODataPath] = []
        var upcoming: ServiceAnswer? = first
        while let page = upcoming {
            let root = try client.document(page).root
            if root["error"] != nil { throw client.failedMidway(page.shownBytes) }
            let content = root["d"] ?? root
            let found = content["results"] ?? content["value"] ?? content
            for object in found.kind == .array ? found.elements : [found] {
                guard let link = object["uri"]?.text ?? object["@odata.id"]?.text ?? object["@id"]?.text else {
                    throw client.malformed(FormatFailure("a link has no address"), status: page.status)
                }
                paths.append(ODataPath(link: link))
            }
            upcoming = try await pages.next(after: page, root)
        }
        return paths
    }

    /// Links another entity to one.
    ///
    /// - Parameters:
    ///   - path: the navigation property of that one
    ///   - entity: the target of the link
    ///   - isSingle: whether the property leads to one entity: the new link replaces the old one
    public func link(_ path: ODataPath, to entity: ODataPath, isSingle: Bool = false) async throws(ODataError) {
        let address = try client.target(ODataQuery(entity)).absoluteString
        var writer = JSONWriter()
        writer.begin("{")
        writer.name(version == .v2 ? "uri" : "@odata.id")
        writer.text(address)
        writer.end("}")
        _ = try await send(
            ServiceRequest(method: isSingle ? .put : .post, path: reference(path), body: writer.bytes))
    }

    /// Removes the link to an entity. The entity stays.
    ///
    /// - Parameters:
    ///   - path: the navigation property
    ///   - key: the entity's key, if the navigation property leads to many
    public func unlink(_ path: ODataPath, key: ODataKey? = nil) async throws(ODataError) {
        switch (version, key) {
        case (.v4, let key?):
            let address = try client.target(ODataQuery(path.key(key))).absoluteString
            // The entity by its own address or by the navigation property: services take both.
            _ = try await send(
                ServiceRequest(
                    method: .delete, path: reference(path), query: "$id=\(PercentEncoding.encoded(address))"))
        case (.v2, let key?):
            _ = try await send(ServiceRequest(method: .delete, path: reference(path).key(key)))
        case (_, nil):
            _ = try await send(ServiceRequest(method: .delete, path: reference(path)))
        }
    }

    /// The address of links: `Orders(7)/$links/Customer`, or `Orders(7)/Customer/$ref`.
    private func reference(_ path: ODataPath) throws(ODataError) -> ODataPath {
        guard case .name(let name)? = path.segments.last, path.segments.count > 1 else {
            throw ODataError(
                .invalidRequest,
                "\(try path.shown(version)) has no navigation property at its end, so it has no links.")
        }
        guard version == .v2 else { return path.adding(system: "$ref") }
        return ODataPath(segments: path.segments.dropLast() + [.system("$links"), .name(name)])
    }
}
