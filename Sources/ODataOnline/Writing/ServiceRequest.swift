import HTTPTypes
import HttpConvFormats
import HttpConversation

/// A request to a service, alone or as a part of a batch.
struct ServiceRequest: Sendable {
    let method: HTTPRequest.Method
    /// The path relative to the root, percent-encoded, with its query.
    let path: ODataPath
    var query = ""
    var fields: HTTPFields = [:]
    var body: [UInt8]?
    /// The entity's type, if the model is known.
    var type: String?
    /// The entity whose version the service compares. After a refusal its present one is read; nil: none is.
    var entity: ODataPath?

    var content: RequestBody? {
        guard let body else { return nil }
        var content = RequestBody.bytes(body)
        content.contentType = "application/json"
        return content
    }
}

/// Makes the requests that write.
struct RequestMaker {
    let client: ServiceClient
    let model: ODataModel?
    /// The types of the entities that earlier parts of a batch make, by the parts' ids.
    var references: [String: String] = [:]

    private var writer: EntityWriter { EntityWriter(version: client.version, model: model) }

    func create(_ row: ODataRow, in path: ODataPath) throws(ODataError) -> ServiceRequest {
        let type = client.typeName(at: path, in: model, references: references)
        return ServiceRequest(method: .post, path: path, body: try writer.json(row, of: type), type: type)
    }

    func update(
        _ path: ODataPath, _ row: ODataRow, _ update: ODataUpdate, ifMatch etag: String?
    ) throws(ODataError) -> ServiceRequest {
        let type = client.typeName(at: path, in: model, references: references)
        return ServiceRequest(
            method: update.method(client), path: path, fields: try Self.ifMatch(etag),
            body: try writer.json(row, of: type), type: type, entity: path)
    }

    func delete(_ path: ODataPath, ifMatch etag: String?) throws(ODataError) -> ServiceRequest {
        ServiceRequest(method: .delete, path: path, fields: try Self.ifMatch(etag), entity: path)
    }

    func row(_ value: some Encodable) throws(ODataError) -> ODataRow { try writer.row(value) }

    /// Sets the value of a single property.
    func property(_ path: ODataPath, _ value: ODataValue, ifMatch etag: String?) throws(ODataError) -> ServiceRequest {
        guard case .name(let name)? = path.segments.last else {
            throw ODataError(
                .invalidRequest,
                "\(try path.shown(client.version)) does not end in a property, so it cannot be set.")
        }
        let member = client.version == .v2 ? name : "value"
        var row = ODataRow()
        row[member] = value
        let types = client.typeName(at: path, in: model).map { [member: $0] } ?? [:]
        return ServiceRequest(
            method: .put, path: path, fields: try Self.ifMatch(etag), body: try writer.json(row, types: types),
            entity: path)
    }

    static func ifMatch(_ etag: String?) throws(ODataError) -> HTTPFields {
        guard let etag else { return [:] }
        guard !etag.isEmpty, etag.utf8.count <= 1024, etag.isPrintableASCII else {
            throw ODataError(.invalidRequest, "The ETag has characters that no ETag has: nothing was sent.")
        }
        return [.ifMatch: etag]
    }
}
