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
/// What changes something is in a change set, of which all is done or nothing.
public struct ODataBatch: Sendable {
    /// A request of a batch, to ask the results for it.
    public struct Part: Hashable, Sendable {
        let id: Int

        /// What the request makes, for requests behind it in the same change set.
        public var path: ODataPath { ODataPath(segments: [.reference("\(id)")]) }
    }

    /// Whether requests behind one that failed are done all the same (4.0; services of OData 2.0 always do them).
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

    /// Nothing yet.
    public init() {}

    /// Reads.
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

    /// Changes, of which all are done or none.
    @discardableResult
    public mutating func changeSet<Result>(_ build: (inout ChangeSet) throws -> Result) rethrows -> Result {
        var changes = ChangeSet(count: count)
        let result = try build(&changes)
        count = changes.count
        if !changes.requests.isEmpty { groups.append(Group(isChangeSet: true, requests: changes.requests)) }
        return result
    }

    /// Changes, of which all are done or none.
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
