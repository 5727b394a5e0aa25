import HTTPTypes
import HttpConversation
import Synchronization

/// A service whose pages are there already: what is measured is the reading of them.
final class Pages: HTTPTransport {
    static let pageSize = 1000
    private let count: Int

    init(count: Int) { self.count = count }

    var capabilities: TransportCapabilities { [] }

    private static let rows: [UInt8] = {
        let rows = (0..<pageSize).map { number in
            "{\"@odata.etag\":\"W/\\\"\(number)\\\"\",\"ID\":\(number),\"Name\":\"Row \(number) — ünïcödé\","
                + "\"Amount\":\(number).25,\"Changed\":\"2026-01-01T00:00:\(10 + number % 50)Z\",\"IsOdd\":\(number % 2 == 1)}"
        }
        return Array(rows.joined(separator: ",").utf8)
    }()

    /// A page, and where the next one is.
    static func page(_ number: Int, of count: Int) -> [UInt8] {
        let isLast = (number + 1) * pageSize >= count
        return Array("{\"@odata.context\":\"http://127.0.0.1/s/$metadata#Rows\",\"value\":[".utf8) + rows
            + Array(isLast ? "]}".utf8 : "],\"@odata.nextLink\":\"Rows?$skiptoken=\(number + 1)\"}".utf8)
    }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        let number = request.target.query.flatMap { Int($0.split(separator: "=").last ?? "") } ?? 0
        let head = HTTPResponse(status: .ok, headerFields: [.contentType: "application/json;odata.metadata=minimal"])
        // As they come over a network.
        let body = ResponseBody(Pieces(Self.page(number, of: count)))
        return TransportResponse(head: head, body: body)
    }

    func shutdown() async {}
}

/// Bytes, sixteen KiB at a time.
final class Pieces: TransportBody {
    private let rest: Mutex<ArraySlice<UInt8>>

    init(_ bytes: [UInt8]) { rest = Mutex(bytes[...]) }

    func next() async throws(ConversationError) -> [UInt8]? {
        rest.withLock { rest in
            guard !rest.isEmpty else { return nil }
            let piece = Array(rest.prefix(16 << 10))
            rest = rest.dropFirst(piece.count)
            return piece
        }
    }

    func cancel() {}
}
