/// Requests that are sent together (`$batch`).
///
/// ```swift
/// var batch = ODataBatch()
/// let products = batch.read("Products")
/// let (order, item) = batch.changeSet { changes in
///     let order = changes.create(["Customer": "C1"], in: "Orders")
///     return (order, changes.create(["Product": 7], in: order.path.property("Items")))
/// }
/// let results = try await store.send(batch)
/// print(try results.rows(of: products).rows.count, try results.written(of: order).etag ?? "")
/// ```
/// Changes go into a change set, which is done as a whole or not at all.
public struct ODataBatch: Sendable {
    /// A request of a batch. It identifies the request's result.
    public struct Part: Hashable, Sendable {
        let id: Int

        /// The path of the entity that the request makes, for later requests of the same change set.
        public var path: ODataPath { ODataPath(segments: [.reference("\(id)")]) }
    }

    /// Whether the service goes on with later requests after one has failed (4.0). Services of OData 2.0 always go on.
    public var continuesAfterErrors = false

    var groups: [Group] = []
    private var count = 0

    /// A read, or a change set.
    struct Group: Sendable {
        let isChangeSet: Bool
        var requests: [Request]
    }

    struct Request: Sendable {
        let part: Part
        let path: ODataPath
        let make: @Sendable (RequestMaker) throws(ODataError) -> ServiceRequest
    }

    /// An empty batch.
    public init() {}

    /// Adds a read.
    @discardableResult
    public mutating func read(_ query: ODataQuery) -> Part {
        count += 1
        let part = Part(id: count)
        groups.append(
            Group(
                isChangeSet: false,
                requests: [
                    Request(part: part, path: query.path) { maker throws(ODataError) in
                        ServiceRequest(
                            method: .get, path: query.path, query: try query.query(maker.client.version),
                            type: maker.client.typeName(at: query.path, in: maker.model))
                    }
                ]))
        return part
    }

    /// Adds a change set: changes that are done all together or not at all.
    @discardableResult
    public mutating func changeSet<Result>(_ build: (inout ChangeSet) throws -> Result) rethrows -> Result {
        var changes = ChangeSet(count: count)
        let result = try build(&changes)
        count = changes.count
        if !changes.requests.isEmpty { groups.append(Group(isChangeSet: true, requests: changes.requests)) }
        return result
    }

    /// Changes that are done all together or not at all.
    public struct ChangeSet: Sendable {
        fileprivate(set) var requests: [Request] = []
        fileprivate var count: Int

        fileprivate init(count: Int) { self.count = count }

        /// Creates an entity.
        @discardableResult
        public mutating func create(_ row: ODataRow, in path: ODataPath) -> Part {
            add(path) { maker throws(ODataError) in try maker.create(row, in: path) }
        }

        /// Changes an entity.
        @discardableResult
        public mutating func update(
            _ path: ODataPath, with row: ODataRow, ifMatch etag: String? = nil, by update: ODataUpdate = .merge
        ) -> Part {
            add(path) { maker throws(ODataError) in try maker.update(path, row, update, ifMatch: etag) }
        }

        /// Deletes an entity.
        @discardableResult
        public mutating func delete(_ path: ODataPath, ifMatch etag: String? = nil) -> Part {
            add(path) { maker throws(ODataError) in try maker.delete(path, ifMatch: etag) }
        }

        private mutating func add(
            _ path: ODataPath, _ make: @escaping @Sendable (RequestMaker) throws(ODataError) -> ServiceRequest
        ) -> Part {
            count += 1
            let part = Part(id: count)
            requests.append(Request(part: part, path: path, make: make))
            return part
        }
    }
}
