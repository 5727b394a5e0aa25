import Foundation
import HTTPTypes
import HttpConversation
import HttpConversationTesting

@testable import HttpCTerminal
@testable import HttpConvFormats
@testable import MobileServices
@testable import ODataOnline

/// Answers of services: JSON, XML, rows, models, batches.
let dataTargets: [FuzzTarget] = [
    FuzzTarget("json", json), FuzzTarget("jsonrows", jsonRows), FuzzTarget("xml", xml), FuzzTarget("csdl", csdl),
    FuzzTarget("atom", atom), FuzzTarget("batch", batch), FuzzTarget("values", values),
]

private func json(_ bytes: [UInt8]) throws {
    let layout = JSONLayout.lines(bytes, TerminalStyle(isColoured: false))
    if let layout, let again = JSONLayout.lines(layout, TerminalStyle(isColoured: false)) {
        try require(again == layout, "what is laid out is laid out the same")
    }
    guard let document = try? JSONDocument(bytes) else { return }
    try require(document.tokens.count <= bytes.count, "a token takes a byte")
    _ = try? DocumentDecoder.decode([String: Int].self, from: document.root)
    _ = try? DocumentDecoder.decode([Date].self, from: document.root)
    _ = try? DocumentDecoder.decode([[String: Decimal?]].self, from: document.root)
    guard let written = try? rewritten(document.root) else { return }
    guard let again = try? JSONDocument(written) else { throw BrokenProperty("what is written is JSON") }
    try require(try rewritten(again.root) == written, "JSON that is written is read back")
    if let value = JSONValue(bytes), let data = try? JSONEncoder().encode(value) {
        try require(JSONValue(Array(data)) != nil, "what is written is JSON")
    }
}

private func rewritten(_ value: JSONElement) throws -> [UInt8] {
    var writer = JSONWriter()
    try write(value, to: &writer)
    return writer.bytes
}

private func write(_ value: JSONElement, to writer: inout JSONWriter) throws {
    switch value.kind {
    case .object:
        writer.begin("{")
        for (name, member) in try value.members() {
            writer.name(name)
            try write(member, to: &writer)
        }
        writer.end("}")
    case .array:
        writer.begin("[")
        for element in value.elements { try write(element, to: &writer) }
        writer.end("]")
    case .string: writer.text(try value.document.text(of: value.index))
    default: writer.raw(value.source)
    }
}

/// A page of rows. The first byte sets the size of the pieces.
private func jsonRows(_ bytes: [UInt8]) throws {
    guard let size = bytes.first else { return }
    let body = Array(bytes.dropFirst())
    let whole = rows(JSONRowScanner(limits: limits), body.pieces(of: 0))
    let cut = rows(JSONRowScanner(limits: limits), body.pieces(of: Int(size % 16) + 1))
    try require(whole.rows == cut.rows, "rows are the same however they arrive")
    try requireEqual(whole.isWhole, cut.isWhole, "a page is whole however it arrives")
    let client = try store(.v4).client
    let shape = RowShape("Sales.Product", in: try Model.sales())
    for row in whole.rows {
        guard let document = try? JSONDocument(row) else { throw BrokenProperty("a row is JSON") }
        guard let read = try? RowReader(client: client).row(document.root, shape) else { continue }
        for value in read.values { try checkLiteral(value) }
        _ = try? DocumentDecoder.decode(Product.self, from: document.root)
    }
}

private struct Product: Decodable {
    let id: Int?
    let price: Decimal?
    let made: Date?
    let tags: [String]?
}

private var limits: RowLimits {
    var limits = RowLimits()
    limits.rows = 1000
    return limits
}

private func rows(_ scanner: any RowScanner, _ pieces: [[UInt8]]) -> (rows: [[UInt8]], isWhole: Bool) {
    var rows: [[UInt8]] = []
    let document = JSONDocument()
    do throws(FormatFailure) {
        for piece in pieces {
            try scanner.append(piece)
            while try scanner.nextRow(into: document) { rows.append(document.bytes) }
        }
        try scanner.finish()
        while try scanner.nextRow(into: document) { rows.append(document.bytes) }
    } catch {
        return (rows, false)
    }
    return (rows, true)
}

/// A document of XML. The first byte sets the size of the pieces.
private func xml(_ bytes: [UInt8]) throws {
    guard let size = bytes.first else { return }
    let body = Array(bytes.dropFirst())
    let whole = events(body.pieces(of: 0))
    let cut = events(body.pieces(of: Int(size % 16) + 1))
    try requireEqual(whole.isWhole, cut.isWhole, "a document is whole however it arrives")
    if whole.isWhole { try requireEqual(whole.log, cut.log, "a document is the same however it arrives") }
    _ = try? ODataServiceDocument(xml: body)
}

private final class EventLog: XMLEventHandler {
    var log = ""

    func started(_ element: XMLElementStart) {
        let attributes = element.attributes.map { "\($0.namespace):\($0.name)=\($0.value)" }
        log += "<\(element.namespace):\(element.name) \(attributes.joined(separator: " "))>"
    }

    func ended() { log += "</>" }

    func read(_ text: String) { log += text }
}

private func events(_ pieces: [[UInt8]]) -> (log: String, isWhole: Bool) {
    let handler = EventLog()
    let reader = XMLEventReader(maximumDepth: 64, maximumElements: 1000, handler: handler)
    do throws(FormatFailure) {
        for piece in pieces { try reader.feed(piece) }
        try reader.finish()
    } catch {
        return (handler.log, false)
    }
    return (handler.log, true)
}

private func csdl(_ bytes: [UInt8]) throws {
    guard let model = try? CSDLReader.model(bytes) else { return }
    for type in model.structuredTypes.values {
        try require(model.lineage(of: type).count <= 32, "a circle of types ends")
        _ = (model.properties(of: type), model.navigationProperties(of: type), model.key(of: type))
        for property in type.properties { _ = model.kind(of: property.type.name) }
    }
    for name in model.sets.keys {
        _ = model.type(of: name)
        _ = model.type(at: ODataPath(link: name))
    }
}

private func atom(_ bytes: [UInt8]) throws {
    let whole = rows(AtomRowScanner(limits: limits), bytes.pieces(of: 0))
    for row in whole.rows {
        guard (try? JSONDocument(row)) != nil else { throw BrokenProperty("an entry is a row of JSON") }
    }
    let cut = rows(AtomRowScanner(limits: limits), bytes.pieces(of: 7))
    try require(whole.isWhole == cut.isWhole, "a feed is whole however it arrives")
    if whole.isWhole { try require(whole.rows == cut.rows, "entries are the same however they arrive") }
    _ = try? AtomRowScanner.entry(bytes, limits: limits)
    _ = ODataServerError(xml: bytes)
}

/// A line with the `Content-Type`, then the answer to a batch.
private func batch(_ bytes: [UInt8]) throws {
    let (type, rest) = bytes.lineAndRest
    if let boundary = MultipartReader.boundary(type),
        let parts = try? MultipartReader.parts(rest[...], boundary: boundary)
    {
        try require(parts.reduce(0) { $0 + $1.body.count } <= rest.count, "parts do not overlap")
        for part in parts { _ = try? MultipartReader.message(part.body) }
    }
    for version in [ODataVersion.v2, .v4] {
        let store = try store(version, type, rest)
        try completed {
            var batch = ODataBatch()
            let read = batch.read("Products")
            let made = batch.changeSet { changes in
                changes.delete("Products(2)")
                return changes.create(["Name": "a"], in: "Products")
            }
            let results = try await store.send(batch)
            _ = try? results.rows(of: read)
            _ = try? results.row(of: read)
            _ = try? results.written(of: made)
        }
    }
}

private func store(_ version: ODataVersion, _ type: String = "", _ body: [UInt8] = []) throws -> ODataStore {
    let transport = ScriptedTransport { _, _ in .init(.ok, [.contentType: type], bytes: body) }
    return try ODataStore(
        at: "https://service.example/sales", version: version, with: HttpConversationManager(transport: transport),
        model: Model.sales())
}

/// A value as a text of every kind.
private func values(_ bytes: [UInt8]) throws {
    let text = bytes.text
    let kinds: [EdmKind] = [
        .unknown, .boolean, .integer, .int64, .decimal, .double, .single, .string, .guid, .binary, .dateTime, .date,
        .timeOfDay, .duration, .enumeration("Sales.Colour"),
    ]
    for kind in kinds {
        if let value = kind.value(text) { try checkLiteral(value) }
        if let value = kind.value(number: bytes[...]) { try checkLiteral(value) }
    }
    _ = (ServiceDate.fromJSON(text), ServiceDate.fromAtom(text))
    if let date = ODataDateTime(text) {
        guard let again = ODataDateTime(date.text) else { throw BrokenProperty("\(date.text) is a time") }
        try requireEqual(again.date, date.date, "a time that is written is read back")
    }
    if let date = ODataDate(text) { try requireEqual(ODataDate("\(date)"), date, "a date is read back") }
    if let time = ODataTimeOfDay(text) { try requireEqual(ODataTimeOfDay("\(time)"), time, "a time is read back") }
    if let duration = DurationText.duration(bytes[...]) {
        let written = DurationText.text(duration)
        try requireEqual(DurationText.duration(Array(written.utf8)[...]), duration, "a duration is read back")
    }
}

private func checkLiteral(_ value: ODataValue) throws {
    for version in [ODataVersion.v2, .v4] {
        guard let literal = try? EdmLiteral.text(value, version) else { continue }
        try require(!literal.isEmpty, "a value has a literal")
    }
}

private enum Model {
    static func sales() throws -> ODataModel {
        let text = """
            <edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx"><edmx:DataServices>
            <Schema Namespace="Sales" xmlns="http://docs.oasis-open.org/odata/ns/edm"><EntityType Name="Product">
            <Key><PropertyRef Name="ID"/></Key><Property Name="ID" Type="Edm.Int32"/>
            <Property Name="Price" Type="Edm.Decimal"/><Property Name="Made" Type="Edm.DateTimeOffset"/>
            <Property Name="Day" Type="Edm.Date"/><Property Name="Takes" Type="Edm.Duration"/>
            <Property Name="At" Type="Edm.TimeOfDay"/><Property Name="Raw" Type="Edm.Binary"/>
            <Property Name="Guid" Type="Edm.Guid"/><Property Name="Weight" Type="Edm.Double"/>
            <Property Name="Tags" Type="Collection(Edm.String)"/></EntityType>
            <EntityContainer Name="C"><EntitySet Name="Products" EntityType="Sales.Product"/></EntityContainer>
            </Schema></edmx:DataServices></edmx:Edmx>
            """
        return try CSDLReader.model(Array(text.utf8))
    }
}
