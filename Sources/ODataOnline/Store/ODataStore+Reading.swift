import HTTPTypes
import HttpConvFormats
import HttpConversation

extension ODataStore {
    // MARK: The service

    /// Reads the service document: the resources at the root of the service.
    public func serviceDocument() async throws(ODataError) -> ODataServiceDocument {
        let fields: HTTPFields = version == .v2 ? [.accept: "application/json, application/atomsvc+xml;q=0.8"] : [:]
        let answer = try await client.answer(.get, root, fields)
        do throws(FormatFailure) {
            if answer.kind == .xml { return try ODataServiceDocument(xml: answer.bytes) }
        } catch {
            throw client.malformed(error, status: answer.status)
        }
        let document = try client.document(answer)
        do throws(FormatFailure) { return try ODataServiceDocument(json: document) } catch {
            throw client.malformed(error, status: answer.status)
        }
    }

    /// Reads `$metadata`.
    public func metadata() async throws(ODataError) -> ODataModel {
        let limit = client.configuration.limits.metadataBytes
        var query = ODataQuery(ODataPath(segments: [.system("$metadata")]))
        query.customOptions = client.configuration.metadataOptions
        let answer = try await client.answer(
            .get, client.target(query), [.accept: "application/xml"], limit: limit)
        if answer.kind == .page { throw client.page(status: answer.status) }
        do throws(FormatFailure) { return try CSDLReader.model(answer.bytes, maximumElements: limit / 80) } catch {
            throw client.malformed(error, status: answer.status)
        }
    }

    // MARK: Rows

    /// The rows of a query, page after page.
    public func rows(_ query: ODataQuery) -> ODataRows<ODataRow> {
        ODataRows(client: client, query: query, decoding: rowDecoding(of: query.path))
    }

    /// The rows of a query as values of a type, page after page.
    ///
    /// `Date`, `Decimal`, `UUID` and `Data` are read from OData's notation, and whole numbers also from texts. An
    /// optional navigation property that was not expanded is nil. No decimal passes through a floating-point number.
    public func rows<Row: Decodable & Sendable>(_ query: ODataQuery, as type: Row.Type) -> ODataRows<Row> {
        ODataRows(client: client, query: query, decoding: .values(client))
    }

    /// The first page of a query; with the ``ODataPage/nextLink`` of a page, the page after it.
    public func page(_ query: ODataQuery, after link: String? = nil) async throws(ODataError) -> ODataPage<ODataRow> {
        try await page(query, after: link, rowDecoding(of: query.path))
    }

    /// The first page of a query as values of a type; with the ``ODataPage/nextLink`` of a page, the page after it.
    public func page<Row: Decodable & Sendable>(
        _ query: ODataQuery, after link: String? = nil, as type: Row.Type
    ) async throws(ODataError) -> ODataPage<Row> {
        try await page(query, after: link, .values(client))
    }

    private func page<Row: Sendable>(
        _ query: ODataQuery, after link: String?, _ decoding: RowDecoding<Row>
    ) async throws(ODataError) -> ODataPage<Row> {
        let first = try client.target(query)
        let target =
            if let link { try client.root.inside(link, from: client.base(of: link, on: first)) } else { first }
        let pages = PageReader(client, target, followsLinks: false)
        let decode = decoding.make()
        var rows: [Row] = []
        while let value = try await pages.next() { rows.append(try decode(value)) }
        // A relative link would change its meaning on the next page.
        let next = try client.nextPage(pages.envelope, of: pages.url)
        return ODataPage(rows: rows, count: pages.envelope.count, nextLink: next?.absoluteString)
    }

    /// The number of rows of a query (`$count`).
    public func count(_ query: ODataQuery) async throws(ODataError) -> Int64 {
        var counting = query
        counting.path = query.path.count
        let answer = try await client.answer(.get, client.target(counting), [.accept: "*/*"])
        let digits = answer.bytes.filter { ![0xEF, 0xBB, 0xBF, 0x20, 0x0D, 0x0A].contains($0) }
        guard let count = PeerNumber.integer(digits, as: Int64.self) else {
            throw client.malformed(FormatFailure("the count is not a number"), status: answer.status)
        }
        return count
    }

    // MARK: One thing

    /// One entity, or a value of a complex type.
    ///
    /// - Throws: ``ODataError/Code/notFound`` if it does not exist
    public func row(_ query: ODataQuery) async throws(ODataError) -> ODataRow {
        try await one(query, rowDecoding(of: query.path))
    }

    /// One entity as a value of a type.
    public func row<Row: Decodable & Sendable>(_ query: ODataQuery, as type: Row.Type) async throws(ODataError) -> Row {
        try await one(query, .values(client))
    }

    private func one<Row: Sendable>(
        _ query: ODataQuery, _ decoding: RowDecoding<Row>
    ) async throws(ODataError) -> Row {
        let answer = try await client.answer(.get, client.target(query), client.readingFields)
        guard answer.status != 204 else { throw nothing(answer) }
        return try decoding.make()(client.entity(answer))
    }

    private func nothing(_ answer: ServiceAnswer) -> ODataError {
        ODataError(.notFound, "\(root) says that there is nothing there.", status: answer.status)
    }

    /// The path of an entity that was read: the service's link if it leads below the root, or the key if the model is
    /// known. Services of OData 4.0 send a link only if the key does not suffice.
    ///
    /// - Parameters:
    ///   - row: the row of the entity
    ///   - path: the set that it was read from
    public func path(of row: ODataRow, in path: ODataPath) -> ODataPath? {
        if let link = row.path, client.leadsInside(link) { return link }
        return client.keyPath(of: row, in: path, model) ?? row.path
    }

    /// The value of a property; ``ODataValue/null`` if it has none. A collection has the elements of all its pages.
    public func value(_ path: ODataPath) async throws(ODataError) -> ODataValue {
        let answer = try await client.answer(.get, client.target(ODataQuery(path)))
        guard answer.status != 204 else { return .null }
        return try await value(answer, client.typeName(at: path, in: model), name: path.lastName)
    }

    /// The value of an answer, with the elements of all its pages.
    ///
    /// - Parameters:
    ///   - type: the name of its type, if the model is known
    ///   - name: the last name of the path
    func value(
        _ answer: ServiceAnswer, _ type: String?, name: String? = nil
    ) async throws(ODataError) -> ODataValue {
        let kind = type.flatMap { model?.kind(of: $0) } ?? .unknown
        let (reader, shape) = (RowReader(client: client), RowShape(type, in: model))
        var pages = PagedAnswers(client, first: answer)
        var page = answer
        var elements: [ODataValue] = []
        while true {
            let root = try client.document(page).root
            let value = try reader.result(client.property(root, name: name, status: page.status), kind, shape)
            let next = try await pages.next(after: page, root)
            if next == nil, elements.isEmpty { return value }
            guard let more = value.elements else {
                throw client.malformed(FormatFailure("a page is not a collection"), status: page.status)
            }
            elements += more
            guard let next else { return .collection(elements) }
            page = next
        }
    }

    /// The bare value of a property (`$value`): the bytes of a text or of a binary value.
    public func rawValue(_ path: ODataPath) async throws(ODataError) -> [UInt8] {
        try await client.answer(.get, client.target(ODataQuery(path.value)), [.accept: "*/*"]).bytes
    }

    func rowDecoding(of path: ODataPath) -> RowDecoding<ODataRow> {
        .rows(of: client.typeName(at: path, in: model), in: model, client)
    }
}
