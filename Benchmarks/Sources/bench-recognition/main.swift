import BenchMain
import HTTPTypes
import HttpConvAuthFlows
import HttpConversation

// bench-recognition with|without json|picture|redirect|page COUNT    sends so many requests, one after the other
//
// Without a network: a small JSON answer, a picture of 2 KiB, a temporary redirect with a query to the JSON, or an HTML
// page of 2 KiB without a form. Prints nothing: the instructions of the process are counted from outside.

struct WrongAnswer: Error {}

/// Answers that are already there.
struct KnownAnswers: HTTPTransport {
    private static let json = Array(
        #"{"d":{"results":[{"ID":4711,"Name":"Quarterly report","Owner":"alice","Size":2048}]}}"#.utf8)
    private static let page = Array(
        ("<!doctype html><html><head><title>Reports</title></head><body><table>"
            + String(repeating: "<tr><td>4711</td><td>Quarterly report</td></tr>\n", count: 43)).utf8.prefix(2048))

    let capabilities: TransportCapabilities = [.streamingResponses]

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        switch request.target.path {
        case "/old":
            let fields: HTTPFields = [
                .location: "https://api.example.com/json?id=4711&lang=en&view=compact", .contentLength: "0",
            ]
            return TransportResponse(
                head: HTTPResponse(status: .found, headerFields: fields), body: ResponseBody(KnownBody([])))
        case "/page": return Self.answer(Self.page, "text/html; charset=utf-8")
        case "/picture": return Self.answer(Self.page, "image/png")
        default: return Self.answer(Self.json, "application/json")
        }
    }

    private static func answer(_ bytes: [UInt8], _ type: String) -> TransportResponse {
        TransportResponse(
            head: HTTPResponse(
                status: .ok, headerFields: [.contentType: type, .contentLength: "\(bytes.count)"]),
            body: ResponseBody(KnownBody(bytes)))
    }

    func shutdown() async {}
}

final class KnownBody: TransportBody, @unchecked Sendable {
    // Proof: a body has one reader at a time (TransportBody), and nobody else sees `bytes`.
    private var bytes: [UInt8]?

    init(_ bytes: [UInt8]) { self.bytes = bytes.isEmpty ? nil : bytes }

    var hasArrived: Bool { true }

    func next() async throws(ConversationError) -> [UInt8]? {
        defer { bytes = nil }
        return bytes
    }

    func cancel() {}
}

@Sendable func perform(_ arguments: [String]) async throws -> Bool {
    let paths = ["json": "/json", "picture": "/picture", "redirect": "/old", "page": "/page"]
    guard arguments.count == 3, ["with", "without"].contains(arguments[0]), let path = paths[arguments[1]],
        let count = Int(arguments[2])
    else { return false }
    var configuration = HttpConversationManager.Configuration()
    configuration.apply(CommonAuthenticationConfigurator())
    if arguments[0] == "with" {
        let filter = RecognizedLoginFilter(passesUnauthorized: false) { _ in }
        configuration.redirectFilters.add(filter, id: RecognizedLoginFilter.id)
        configuration.responseFilters.add(filter, id: RecognizedLoginFilter.id)
    }
    let manager = HttpConversationManager(transport: KnownAnswers(), configuration: configuration)
    let request = try HTTPRequest(.get, "https://www.example.com\(path)")
    for _ in 0..<count {
        let response = try await manager.data(for: request)
        guard response.status == .ok, response.bytes.count > 80 else { throw WrongAnswer() }
    }
    return true
}

runBenchmark(perform)
