import HTTPTypes
import HttpConversation

/// All cases. Each group has a file of its own.
enum CaseList {
    typealias Code = ConversationError.Code

    static let all: [ConformanceCase] =
        contract + requests + heads + framing + bodies + bodyless + interim + uploads + expectations + earlyAnswers
        + reuse + surplus + coding + timeouts + limits + cancellation + backPressure + connecting + tls + proxies
        + upgrades + frames + streams

    static let everywhere: Set<ConformanceWire> = [.http1, .http2, .inProcess]
    static let network: Set<ConformanceWire> = [.http1, .http2]

    /// A name made from words.
    static func slug(_ words: String) -> String {
        words.lowercased().map { $0.isLetter || $0.isNumber ? String($0) : "-" }.joined()
            .split(separator: "-").joined(separator: "-")
    }

    static func fields(_ pairs: (String, String)...) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in pairs {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return fields
    }

    /// The bytes of a mostly textual literal: one byte for each scalar.
    static func latin1(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

    /// A script that answers each request with the same bytes.
    static func answering(_ bytes: [UInt8], inPieces size: Int = .max) -> RawServer.Script {
        { connection in
            while true {
                _ = try await connection.readHead()
                try await connection.write(bytes, inPieces: size)
            }
        }
    }

    /// A script that answers one request, and then waits until the client closes.
    static func answeringOnce(_ answer: String, inPieces size: Int = .max) -> RawServer.Script {
        { connection in
            _ = try await connection.readHead()
            try await connection.write(latin1(answer), inPieces: size)
            try await connection.untilClosed()
        }
    }

    /// A response of HTTP/1.1 that must be refused. Its connection is closed.
    static func refused(
        _ group: ConformanceGroup, _ title: String, _ answer: String, _ codes: Code..., inPieces: Bool = false
    ) -> ConformanceCase {
        ConformanceCase(group, slug(title), "\(title): refused", on: [.http1]) { run in
            for size in inPieces ? [Int.max, 1] : [Int.max] {
                try await run.raw(answeringOnce(answer, inPieces: size)) { client in
                    let error = await client.failure()
                    try Client.check(error, codes.isEmpty ? [.malformedResponse] : codes)
                    try await client.expectClosed(1)
                }
            }
        }
    }

    /// A response of HTTP/1.1 whose connection ends too early.
    static func cut(_ group: ConformanceGroup, _ title: String, _ answer: String, _ codes: Code...) -> ConformanceCase {
        ConformanceCase(group, slug(title), "\(title): an error", on: [.http1]) { run in
            try await run.raw { connection in
                _ = try await connection.readHead()
                try await connection.write(answer)
            } _: { client in
                try Client.check(await client.failure(), codes)
            }
        }
    }

    /// An odd but valid response of HTTP/1.1. The same connection serves twice if it may.
    static func accepted(
        _ group: ConformanceGroup, _ title: String, _ answer: String, text: String = "ok", closes: Bool = false,
        to method: HTTPRequest.Method = .get, inPieces: Bool = true
    ) -> ConformanceCase {
        ConformanceCase(group, slug(title), "\(title): accepted", on: [.http1]) { run in
            for size in inPieces ? [Int.max, 1, 7] : [Int.max] {
                let script = answering(latin1(answer), inPieces: size)
                try await run.raw { connection in
                    guard closes else { return try await script(connection) }
                    _ = try await connection.readHead()
                    try await connection.write(latin1(answer), inPieces: size)
                } _: { client in
                    for _ in 0..<2 {
                        let bytes = try await client.bytes(method)
                        try expect(String(decoding: bytes, as: UTF8.self), is: text, "the body")
                    }
                    try client.expectConnections(closes ? 2 : 1)
                }
            }
        }
    }
}

extension ServerConnection {
    func write(_ bytes: [UInt8], inPieces size: Int) async throws {
        guard size < bytes.count else { return try await write(bytes) }
        for start in stride(from: 0, to: bytes.count, by: size) {
            try await write(Array(bytes[start..<min(start + size, bytes.count)]))
        }
    }
}
