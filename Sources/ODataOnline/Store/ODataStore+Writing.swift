import HTTPTypes
import HttpConversation

/// Writing.
extension ODataStore {
    private var maker: RequestMaker { RequestMaker(client: client, model: model) }

    // MARK: Entities

    /// Creates an entity.
    ///
    /// - Parameters:
    ///   - row: its properties. Entities that are created with it are in ``ODataValue/collection(_:)`` of a navigation
    ///     property; those that there are already are named by `Category@odata.bind`, of OData 4.0
    ///   - path: the entity set, or a navigation property that leads to many
    @discardableResult
    public func create(_ row: ODataRow, in path: ODataPath) async throws(ODataError) -> ODataWritten {
        try await write(maker.create(row, in: path))
    }

    /// Creates an entity of a value of one's own. Decimals are exact, dates are points in time.
    @discardableResult
    public func create(_ value: some Encodable, in path: ODataPath) async throws(ODataError) -> ODataWritten {
        try await create(maker.row(value), in: path)
    }

    /// Changes an entity.
    ///
    /// - Parameters:
    ///   - path: the entity
    ///   - row: the properties
    ///   - etag: the version that is changed, such as ``ODataRow/etag``; `*`: whichever it is; nil: the service is not told
    ///   - update: whether properties that are not given stay as they are
    /// - Throws: ``ODataError/Code/preconditionFailed`` where it is another version, with ``ODataError/currentETag``:
    ///   that of the answer, else the one that the entity is asked for
    @discardableResult
    public func update(
        _ path: ODataPath, with row: ODataRow, ifMatch etag: String? = nil, by update: ODataUpdate = .merge
    ) async throws(ODataError) -> ODataWritten {
        try await write(maker.update(path, row, update, ifMatch: etag))
    }

    /// Changes an entity to what a value of one's own says.
    @discardableResult
    public func update(
        _ path: ODataPath, with value: some Encodable, ifMatch etag: String? = nil, by update: ODataUpdate = .merge
    ) async throws(ODataError) -> ODataWritten {
        try await self.update(path, with: maker.row(value), ifMatch: etag, by: update)
    }

    /// Deletes an entity.
    ///
    /// - Parameters:
    ///   - path: the entity
    ///   - etag: as of ``update(_:with:ifMatch:by:)-(_,ODataRow,_,_)``
    public func delete(_ path: ODataPath, ifMatch etag: String? = nil) async throws(ODataError) {
        _ = try await send(maker.delete(path, ifMatch: etag))
    }

    /// Sets the value of a property.
    public func setValue(_ value: ODataValue, of path: ODataPath, ifMatch etag: String? = nil) async throws(ODataError)
    {
        _ = try await send(maker.property(path, value, ifMatch: etag))
    }

    // MARK: Requests

    func write(_ request: ServiceRequest) async throws(ODataError) -> ODataWritten {
        try client.written(try await send(request), type: request.type, model)
    }

    func send(_ request: ServiceRequest) async throws(ODataError) -> ServiceAnswer {
        let target = try client.target(ODataQuery(request.path), adding: request.query)
        do throws(ODataError) {
            return try await client.answer(request.method, target, request.fields, body: request.content)
        } catch {
            guard error.code == .preconditionFailed, error.currentETag == nil else { throw error }
            var error = error
            error.currentETag = await currentETag(target)
            throw error
        }
    }

    /// What version an entity is of now: whoever lost wants to know, and not every service says.
    private func currentETag(_ target: TargetURL) async -> String? {
        guard let answer = try? await client.answer(.get, target, client.readingFields) else { return nil }
        if let etag = answer.etag { return etag }
        guard let entity = try? client.entity(answer) else { return nil }
        return try? RowReader(client: client).row(entity, RowShape(nil, in: nil)).etag
    }
}

extension ServiceClient {
    /// An entity that was created or changed.
    func written(
        _ answer: ServiceAnswer, type: String?, _ model: ODataModel?
    ) throws(ODataError) -> ODataWritten {
        var row: ODataRow?
        if answer.status != 204, answer.bytes.contains(where: { $0 > 0x20 }) {
            row = try RowReader(client: self).row(try entity(answer), RowShape(type, in: model))
        }
        let place = answer.fields[.location] ?? answer.fields[.odataEntityID]
        return ODataWritten(
            row: row, path: place.map { ODataPath(link: $0) } ?? row?.path, etag: answer.etag ?? row?.etag)
    }

    func target(_ query: ODataQuery, adding options: String) throws(ODataError) -> TargetURL {
        let target = try target(query)
        do throws(ConversationError) { return try target.appending(query: options) } catch {
            throw ODataError(.invalidRequest, "The request's address cannot be used: \(error.message)")
        }
    }
}
