import HTTPTypes
import HttpConversation
import ODataOnline
import Synchronization

/// Answers that are too much, or wrong to the last byte.
enum Hostile: String, CaseIterable {
    case blanks, text, name, rows, nesting, expansion, values, members, number, notes, beside, wrongType
    case pageToItself, pagesForEver
    case entity, metadata, elements, attributes, attributesAgain, namespaces, annotations, laughs
    case atom, atomEntry, atomNesting
    case batch, batchParts, batchFields, jsonBatch, jsonResponses

    struct NoError: Error {}

    /// Asks for it, and returns what came of that.
    func code() async throws -> ODataError.Code {
        let manager = HttpConversationManager(transport: HostileService(hostile: self))
        let root = "http://127.0.0.1/s/"
        do throws(ODataError) {
            switch self {
            case .metadata, .elements, .attributes, .attributesAgain, .namespaces, .annotations, .laughs:
                _ = try await ODataStore.open(at: root, with: manager)
            case .entity: _ = try await ODataStore(at: root, version: .v4, with: manager).row("Rows")
            case .batch, .batchParts, .batchFields, .jsonBatch, .jsonResponses:
                var options = ODataStoreConfiguration()
                options.usesJSONBatches = self == .jsonBatch || self == .jsonResponses
                var batch = ODataBatch()
                for _ in 0..<1000 { batch.read("Rows") }
                _ = try await ODataStore(at: root, version: .v4, with: manager, configuration: options).send(batch)
            case .atom, .atomEntry, .atomNesting:
                for try await _ in try ODataStore(at: root, version: .v2, with: manager).rows("Rows") {}
            case .wrongType:
                for try await _ in try ODataStore(at: root, version: .v4, with: manager).rows("Rows", as: Row.self) {}
            default: for try await _ in try ODataStore(at: root, version: .v4, with: manager).rows("Rows") {}
            }
        } catch {
            return error.code
        }
        throw NoError()
    }

    private struct Row: Decodable, Sendable {
        let ID: Int
    }

    var contentType: String {
        switch self {
        case .atom, .atomEntry, .atomNesting, .metadata, .elements, .attributes, .attributesAgain, .namespaces,
            .annotations,
            .laughs:
            "application/xml"
        case .batch, .batchParts, .batchFields: "multipart/mixed; boundary=b"
        default: "application/json"
        }
    }

    /// What the body begins with.
    var start: String {
        switch self {
        case .blanks, .batch: ""
        case .text: #"{"value":[{"Name":""#
        case .name: #"{"value":[{""#
        case .rows: #"{"value":[{"ID":0}"#
        case .nesting: #"{"value":["#
        case .expansion: #"{"value":[{"Rows":["#
        case .values: #"{"value":[{"Rows":[0"#
        case .members: #"{"value":[{"ID":0"#
        case .number: #"{"value":[{"ID":"#
        case .notes: #"{"@odata.nextLink":""#
        case .beside: #"{"value":[],"more":["#
        case .wrongType: #"{"value":[{"ID":"# + String(repeating: "[", count: 60)
        case .pageToItself, .pagesForEver: ""
        case .entity: #"{"Rows":[0"#
        case .metadata: "<edmx:Edmx xmlns:edmx=\"http://docs.oasis-open.org/odata/ns/edmx\"><!--"
        case .elements, .annotations: Self.model + "<EntityType Name=\"Row\">"
        case .attributes: "<edmx:Edmx xmlns:edmx=\"http://docs.oasis-open.org/odata/ns/edmx\" "
        case .attributesAgain, .namespaces: Self.model
        case .laughs:
            "<!DOCTYPE a [<!ENTITY l0 \"ha\">"
                + (1...20).map { "<!ENTITY l\($0) \"" + String(repeating: "&l\($0 - 1);", count: 10) + "\">" }.joined()
                + "]><a>&l20;</a>"
        case .atom: Self.feed + "<entry><content type=\"application/xml\">"
        case .atomEntry: Self.feed
        case .atomNesting: Self.feed + "<entry>"
        case .batchParts: "--b\r\n"
        case .batchFields: "--b\r\n"
        case .jsonBatch: #"{"responses":[{"id":"1","status":200,"body":{"value":["#
        case .jsonResponses: #"{"responses":[{"id":"1","status":200}"#
        }
    }

    /// What it goes on with, for ever; nil: it ends.
    var piece: String? {
        switch self {
        case .blanks, .batch: " "
        case .text, .name, .notes: "x"
        case .rows: #",{"ID":1}"#
        case .nesting, .beside: "["
        case .expansion: #"{"Rows":["#
        case .values, .entity: ",0"
        case .members: nil
        case .number: "1"
        case .wrongType: nil
        case .pageToItself, .pagesForEver, .laughs: nil
        case .metadata: "x"
        case .elements: "<Property Name=\"P\" Type=\"Edm.String\"/>"
        case .attributes: nil
        case .attributesAgain: "<a " + (0..<1000).map { "a\($0)=\"\" " }.joined() + "/>"
        case .namespaces: "<n0:a/>"
        case .annotations: "<Annotation Term=\"x\" String=\"y\"/>"
        case .atom: "text &amp; "
        case .atomEntry: "<entry><content type=\"application/xml\"/></entry>"
        case .atomNesting: "<link>"
        case .batchParts: "Content-Type: application/http\r\n\r\nHTTP/1.1 200 OK\r\n\r\n{}\r\n--b\r\n"
        case .batchFields: nil
        case .jsonBatch: #"{"ID":1},"#
        case .jsonResponses: #",{"id":"1","status":200}"#
        }
    }

    /// What a body without an end has behind its start instead of pieces.
    var rest: String {
        switch self {
        case .members: (0..<300_000).map { ",\"n\($0)\":1" }.joined() + "}]}"
        case .attributes: (0..<300_000).map { "a\($0)=\"\" " }.joined() + "/>"
        case .namespaces:
            (0..<40).map { level in
                "<a " + (0..<30).map { "xmlns:n\($0)=\"\(level)\" " }.joined() + ">"
            }.joined()
        case .batchFields: (0..<300_000).map { "F\($0): v\r\n" }.joined()
        case .wrongType: String(repeating: "]", count: 60) + "}]}"
        default: ""
        }
    }

    /// How long the body is: read as it comes, it needs no end.
    var length: Int {
        switch self {
        case .metadata, .elements, .annotations, .attributesAgain, .namespaces, .batchParts, .jsonBatch, .jsonResponses:
            7 << 20
        case .entity: 3 << 20
        default: 1 << 30
        }
    }

    private static let model =
        "<edmx:Edmx Version=\"4.0\" xmlns:edmx=\"http://docs.oasis-open.org/odata/ns/edmx\"><edmx:DataServices>"
        + "<Schema Namespace=\"N\" xmlns=\"http://docs.oasis-open.org/odata/ns/edm\">"
    private static let feed = "<feed xmlns=\"http://www.w3.org/2005/Atom\">"
}

/// A service that answers in one bad way.
final class HostileService: HTTPTransport {
    private let hostile: Hostile
    private let count = Atomic<Int>(0)

    init(hostile: Hostile) { self.hostile = hostile }

    var capabilities: TransportCapabilities { [] }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        let head = HTTPResponse(status: .ok, headerFields: [.contentType: hostile.contentType])
        let body: any TransportBody =
            switch hostile {
            case .pageToItself: Pieces(Array(#"{"value":[{"ID":1}],"@odata.nextLink":"Rows"}"#.utf8))
            case .pagesForEver: Pieces(Array(#"{"value":[],"@odata.nextLink":"Rows?$skiptoken=\#(number)"}"#.utf8))
            default: EndlessBody(hostile)
            }
        return TransportResponse(head: head, body: ResponseBody(body))
    }

    func shutdown() async {}
}

/// A start, and more of the same: 1 GiB, or nearly what a limit allows.
final class EndlessBody: TransportBody {
    private let piece: [UInt8]?
    private let state: Mutex<(start: Pieces, left: Int)>

    init(_ hostile: Hostile) {
        let start = Pieces(Array((hostile.start + hostile.rest).utf8))
        let piece = hostile.piece.map { Array(String(repeating: $0, count: (16 << 10) / $0.utf8.count + 1).utf8) }
        self.piece = piece
        state = Mutex((start, hostile.length / max(1, piece?.count ?? 1)))
    }

    func next() async throws(ConversationError) -> [UInt8]? {
        let start = state.withLock { $0.start }
        if let bytes = try await start.next() { return bytes }
        return state.withLock { state in
            guard let piece, state.left > 0 else { return nil }
            state.left -= 1
            return piece
        }
    }

    func cancel() {}
}
