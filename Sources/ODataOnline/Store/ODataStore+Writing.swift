import HTTPTypes
import HttpConversation

extension ODataStore {
    private var maker: RequestMaker { RequestMaker(client: client, model: model) }

    // MARK: Entities

    /// Creates an entity.
    ///
    /// - Parameters:
    ///   - row: the properties. New related entities go into a ``ODataValue/collection(_:)`` of a navigation property.
    ///     Existing ones are named by `Category@odata.bind`, as in OData 4.0
    ///   - path: the entity set, or a navigation property that leads to many
    /// - Throws: ``ODataError/Code/notFound`` if there is no such set; ``ODataError/Code/conflict`` if the service says
    ///   that the entity exists
    @discardableResult
    public func create(_ row: ODataRow, in path: ODataPath) async throws(ODataError) -> ODataWritten {
        try await write(maker.create(row, in: path))
    }

    /// Creates an entity from a value of your own. Decimals stay exact, and dates are points in time.
    ///
    /// - Throws: as for an ``ODataRow``; ``ODataError/Code/invalidRequest`` if the value cannot be written as an entity
    @discardableResult
    public func create(_ value: some Encodable, in path: ODataPath) async throws(ODataError) -> ODataWritten {
        try await create(maker.row(value), in: path)
    }

    /// Changes an entity.
    ///
    /// - Parameters:
    ///   - path: the entity
    ///   - row: the properties
    ///   - etag: the version that is changed, such as ``ODataRow/etag``; `*` for any version; nil: no condition is sent
    ///   - update: whether properties that are not given stay as they are
    /// - Throws: ``ODataError/Code/notFound`` if there is no such entity; ``ODataError/Code/preconditionFailed`` if the
    ///   version has changed. ``ODataError/currentETag`` then is the present one, from the answer or a read after it
    @discardableResult
    public func update(
        _ path: ODataPath, with row: ODataRow, ifMatch etag: String? = nil, by update: ODataUpdate = .merge
    ) async throws(ODataError) -> ODataWritten {
        try await write(maker.update(path, row, update, ifMatch: etag))
    }

    /// Changes an entity to a value of your own.
    ///
    /// - Throws: as for an ``ODataRow``; ``ODataError/Code/invalidRequest`` if the value cannot be written as an entity
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
    ///   - etag: as for ``update(_:with:ifMatch:by:)-(_,ODataRow,_,_)``
    /// - Throws: as ``update(_:with:ifMatch:by:)-(_,ODataRow,_,_)``
    public func delete(_ path: ODataPath, ifMatch etag: String? = nil) async throws(ODataError) {
        _ = try await send(maker.delete(path, ifMatch: etag))
    }

    /// Sets the value of a property.
    ///
    /// - Throws: as ``update(_:with:ifMatch:by:)-(_,ODataRow,_,_)``
    public func setValue(_ value: ODataValue, of path: ODataPath, ifMatch etag: String? = nil) async throws(ODataError)
    {
        _ = try await send(maker.property(path, value, ifMatch: etag))
    }

    // MARK: Requests

    func write(_ request: ServiceRequest) async throws(ODataError) -> ODataWritten {
        try client.written(try await send(request), to: request, model)
    }

    func send(_ request: ServiceRequest) async throws(ODataError) -> ServiceAnswer {
        let target = try client.target(ODataQuery(request.path), adding: request.query)
        do throws(ODataError) {
            return try await client.answer(request.method, target, request.fields, body: request.content)
        } catch {
            guard error.code == .preconditionFailed, error.currentETag == nil, let entity = request.entity else {
                throw error
            }
            var error = error
            error.currentETag = await currentETag(entity)
            throw error
        }
    }

    /// Reads the entity's present ETag: not every service sends it with a 412.
    private func currentETag(_ path: ODataPath) async -> String? {
        guard let target = try? client.target(ODataQuery(path)),
            let answer = try? await client.answer(.get, target, client.readingFields)
        else { return nil }
        if let etag = answer.etag { return etag }
        guard let entity = try? client.entity(answer) else { return nil }
        return try? RowReader(client: client).row(entity, RowShape(nil, in: nil)).etag
    }
}
