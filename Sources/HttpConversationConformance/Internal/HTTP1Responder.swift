import HTTPTypes

/// Reads requests of HTTP/1.1 and writes the answers of a case.
struct HTTP1Responder {
    let connection: ServerConnection

    func run(_ handler: ServerExchange.Handler) async throws {
        var count = 0
        while true {
            let head = Head(try await connection.readHead())
            let reader = BodyReader(connection, head)
            let exchange = ServerExchange(
                method: head.method, path: head.path, fields: head.fields, place: (connection.index, count),
                body: { try await reader.read() },
                interim: { status, fields in
                    try await reader.connection.write("HTTP/1.1 \(status) Interim\r\n\(Self.lines(fields))\r\n")
                })
            let reply = try await handler(exchange)
            try await write(reply, to: head.method)
            count += 1
            switch reply.ending {
            case .cut: return
            case .open: return try await connection.untilClosed()
            // The unread rest of the request's body would be taken for the next request.
            case .whole: if reader.hasRest { return try await connection.untilClosed() }
            }
        }
    }

    private func write(_ reply: ConformanceReply, to method: String) async throws {
        let hasNone = method == "HEAD" || [204, 304].contains(reply.status.code)
        let framing =
            if reply.status.code == 204 { "" } else if reply.announcesLength {
                "Content-Length: \(reply.count + (reply.ending == .whole ? 0 : 1))\r\n"
            } else { "Transfer-Encoding: chunked\r\n" }
        try await connection.write(
            "HTTP/1.1 \(reply.status.code) Some Reason\r\n\(Self.lines(reply.fields))\(framing)\r\n")
        if hasNone { return }
        for piece in reply.pieces where !piece.isEmpty {
            let isChunk = !reply.announcesLength
            try await connection.write(
                (isChunk ? Array("\(String(piece.count, radix: 16))\r\n".utf8) : []) + piece
                    + (isChunk ? [13, 10] : []))
        }
        if !reply.announcesLength, reply.ending == .whole { try await connection.write("0\r\n\r\n") }
    }

    private static func lines(_ fields: HTTPFields) -> String { fields.map { "\($0.name): \($0.value)\r\n" }.joined() }
}

extension HTTP1Responder {
    /// The head of a request.
    struct Head {
        let method: String
        let path: String
        let fields: [(name: String, value: String)]

        init(_ text: String) {
            let lines = text.split(separator: "\r\n")
            let start = (lines.first ?? "").split(separator: " ").map(String.init)
            (method, path) = (start.first ?? "", start.count > 1 ? start[1] : "")
            fields = lines.dropFirst().compactMap { line in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                let value = line[line.index(after: colon)...].drop { $0 == " " }
                return (line[..<colon].lowercased(), String(value))
            }
        }

        func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }
    }

    /// Reads a request's body on demand, and sends 100 Continue if the client waits for it.
    final class BodyReader: @unchecked Sendable {
        // Only its connection's task uses it: the handler runs in that task.
        let connection: ServerConnection
        private let head: Head
        private var isRead = false

        init(_ connection: ServerConnection, _ head: Head) {
            self.connection = connection
            self.head = head
        }

        private var isChunked: Bool { head.value("transfer-encoding")?.lowercased() == "chunked" }
        private var length: Int { head.value("content-length").flatMap { Int($0) } ?? 0 }
        var hasRest: Bool { !isRead && (isChunked || length > 0) }

        func read() async throws -> [UInt8] {
            if isRead { return [] }
            isRead = true
            if head.value("expect")?.lowercased() == "100-continue" {
                try await connection.write("HTTP/1.1 100 Continue\r\n\r\n")
            }
            guard isChunked else { return length > 0 ? try await connection.readBytes(length) : [] }
            var bytes: [UInt8] = []
            while true {
                let line = try await connection.readLine()
                guard let size = Int(line, radix: 16) else {
                    throw Mismatch(expected: "the size of a chunk", happened: line)
                }
                if size > 0 { bytes += try await connection.readBytes(size) }
                let end = try await connection.readLine()
                guard end.isEmpty else { throw Mismatch(expected: "the end of a chunk", happened: end) }
                if size == 0 { return bytes }
            }
        }
    }
}
