import HTTPTypes
import HttpConversation

extension ServiceClient {
    /// Reads the answer to a create or change.
    func written(
        _ answer: ServiceAnswer, to request: ServiceRequest, _ model: ODataModel?
    ) throws(ODataError) -> ODataWritten {
        var row: ODataRow?
        if answer.status != 204, answer.bytes.contains(where: { $0 > 0x20 }) {
            row = try RowReader(client: self).row(try entity(answer), RowShape(request.type, in: model))
        }
        let place = answer.fields[.location] ?? answer.fields[.odataEntityID]
        let link = place.map { ODataPath(link: $0) } ?? row?.path
        return ODataWritten(
            row: row, path: link.map { path($0, of: row, request, model) }, etag: answer.etag ?? row?.etag)
    }

    /// The path of a written entity: the service's link if it leads below the root, or else the path of the request, with
    /// the key of a new entity.
    private func path(
        _ link: ODataPath, of row: ODataRow?, _ request: ServiceRequest, _ model: ODataModel?
    ) -> ODataPath {
        if leadsInside(link) { return link }
        // Parts of a batch cannot be named after it.
        if case .reference? = request.path.segments.first { return link }
        if let entity = request.entity { return entity }
        return row.flatMap { keyPath(of: $0, in: request.path, model) } ?? link
    }

    /// Whether a link of the service leads below its root. A service behind a proxy may write the address that it has
    /// inside.
    func leadsInside(_ path: ODataPath) -> Bool {
        path.link.map { (try? root.inside($0.link, from: root.url)) != nil } ?? true
    }

    /// The path of an entity by its key; nil if the model or the key is unknown.
    func keyPath(of row: ODataRow, in path: ODataPath, _ model: ODataModel?) -> ODataPath? {
        guard let model, let type = typeName(at: path, in: model).flatMap({ model.structuredType($0) }) else {
            return nil
        }
        let parts = model.key(of: type).compactMap { name in row[name].map { ODataKey.Part(name: name, value: $0) } }
        guard let first = parts.first, parts.count == model.key(of: type).count else { return nil }
        return path.key(parts.count == 1 ? ODataKey(first.value) : ODataKey(parts: parts))
    }
}
