import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

/// A request with everything that an endpoint needs to answer it.
final class ServerExchange: Sendable {
    let request: Request
    let incoming: IncomingRequest
    let connection: Connection
    let shared: SharedState
    /// The request target without its query, as sent.
    let path: String
    /// The percent-decoded segments of the path.
    let segments: [String]
    /// The percent-decoded parameters of the query, in order; `+` stays a plus.
    let query: [QueryItem]
    private let script = Mutex<WireScript?>(nil)

    init(request: Request, incoming: IncomingRequest, connection: Connection, shared: SharedState) {
        self.request = request
        self.incoming = incoming
        self.connection = connection
        self.shared = shared
        let parts = incoming.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = String(parts.first ?? "")
        segments = path.split(separator: "/").map { PercentCoding.decodeText($0) }
        query = parts.count > 1 ? QueryItem.parse(parts[1]) : []
    }

    var origin: LandscapeOrigin { connection.origin }
    var method: String { incoming.method }

    /// The base URL that the client uses, if it belongs to the landscape.
    var ownBase: String {
        let claimed = "\(origin.scheme)://\(field("Host") ?? "")"
        return shared.addresses.origin(ofBase: claimed) == origin ? claimed : shared.addresses.base(of: origin)
    }

    /// The first field of that name in any case.
    func field(_ name: String) -> String? {
        let wanted = name.lowercased()
        return incoming.fields.first { $0.name.lowercased() == wanted }?.value
    }

    /// The first query parameter of that name as text.
    func parameter(_ name: String) -> String? {
        query.first { $0.name == name }?.text
    }

    /// A query parameter as a number within bounds, or the default.
    func number(_ name: String, default standard: Int, in range: ClosedRange<Int>) -> Int {
        parameter(name).flatMap { Int($0) }.map { min(max($0, range.lowerBound), range.upperBound) } ?? standard
    }

    /// The path segment at `index` as a number within bounds.
    func segmentNumber(_ index: Int, in range: ClosedRange<Int>) -> Int? {
        guard segments.indices.contains(index), let number = Int(segments[index]) else { return nil }
        return range.contains(number) ? number : nil
    }

    /// The request's body. It sends `100 Continue` if the client waits for it.
    func body() async throws -> RequestBody {
        if field("Expect")?.lowercased() == "100-continue" {
            try await connection.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        return request.body
    }

    /// Waits at a gate of that name, and for a delay, if a test has set them.
    func wait(at gate: String? = nil, delay: Duration? = nil) async {
        if let gate = gate.flatMap(shared.gates.gate) {
            await connection.cancellingWhenGone { await gate.pass() }
        }
        if let delay {
            await connection.cancellingWhenGone { try? await Task.sleep(for: delay) }
        }
    }

    /// Writes a piece of a body, and waits until the event loop has it. Without the wait, the writer would run ahead of
    /// the socket with small pieces, and would never notice that the client has closed.
    func write(_ piece: ByteBuffer, to writer: inout any ResponseBodyWriter) async throws {
        try await writer.write(piece)
        try await connection.channel.eventLoop.submit {}.get()
    }

    /// A body that repeats a text until the client closes.
    func endless(_ text: String) -> ResponseBody {
        let piece = ByteBuffer(string: String(repeating: text, count: max(1, 4096 / text.utf8.count)))
        return ResponseBody { [self] writer in
            while !connection.isGone { try await write(piece, to: &writer) }
            throw ChannelError.inputClosed
        }
    }

    /// Answers with bytes that an HTTP encoder would refuse. The returned response is not sent.
    func answer(_ script: WireScript) -> Response {
        self.script.withLock { $0 = script }
        return Response(status: .ok)
    }

    var wireScript: WireScript? { script.withLock { $0 } }
}
