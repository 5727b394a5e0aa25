import HTTPTypes
import NIOCore

@testable import HttpConversation
@testable import HttpConversationNIO

/// Bytes of a connection, before and within responses.
let connectionTargets: [FuzzTarget] = [
    FuzzTarget("http1", http1), FuzzTarget("http2", http2), FuzzTarget("proxyheads", proxyHeads),
    FuzzTarget("codings", codings), FuzzTarget("events", events),
]

/// The bytes of an HTTP/1.1 server. The first byte sets the size of the pieces.
private func http1(_ bytes: [UInt8]) throws {
    guard let size = bytes.first else { return }
    let request = try TransportRequest(
        target: TargetURL("http://server.example/a?b"), method: .get, headerFields: [:], body: nil,
        options: TransportOptions())
    let whole = try Pipeline(isHTTP2: false).run([request], Array(bytes.dropFirst()).pieces(of: 0))
    try check(whole[0])
    let cut = try Pipeline(isHTTP2: false).run([request], Array(bytes.dropFirst()).pieces(of: Int(size % 32) + 1))
    try check(cut[0])
    switch (whole[0], cut[0]) {
    case (
        .response(let status, let fields, let body, nil),
        .response(let otherStatus, let otherFields, let otherBody, nil)
    ):
        try requireEqual(status, otherStatus, "a status is the same however it arrives")
        try requireEqual(fields, otherFields, "fields are the same however they arrive")
        try requireEqual(body, otherBody, "a body is the same however it arrives")
    case (.response(_, _, _, nil), _), (_, .response(_, _, _, nil)):
        throw BrokenProperty("a response is whole however it arrives")
    default: break
    }
}

/// The bytes of an HTTP/2 server for two requests. The first byte sets the size of the pieces.
private func http2(_ bytes: [UInt8]) throws {
    guard let size = bytes.first else { return }
    let requests = try ["https://server.example/a", "https://server.example/b"].map { url in
        try TransportRequest(
            target: TargetURL(url), method: .get, headerFields: [:], body: nil, options: TransportOptions())
    }
    for ending in try Pipeline(isHTTP2: true).run(requests, Array(bytes.dropFirst()).pieces(of: Int(size))) {
        try check(ending)
    }
}

private func check(_ ending: Pipeline.Ending) throws {
    guard case .response(let status, let fields, _, _) = ending else { return }
    try require((200...999).contains(status), "an interim response is no response")
    for field in fields {
        try require(
            !field.value.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D }, "no field ends before its end")
    }
}

/// The heads of a proxy's answers to CONNECT.
private func proxyHeads(_ bytes: [UInt8]) throws {
    func heads(_ pieces: [[UInt8]]) -> ([HTTPResponse], ResponseHeadReader.Fault?) {
        var reader = ResponseHeadReader(maximumBytes: 16 << 10, takesLineFeeds: true)
        var buffer = ByteBuffer()
        var heads: [HTTPResponse] = []
        do throws(ResponseHeadReader.Fault) {
            for piece in pieces {
                buffer.writeBytes(piece)
                while let head = try reader.read(&buffer) { heads.append(head.response) }
            }
        } catch {
            return (heads, error)
        }
        return (heads, nil)
    }
    let whole = heads([bytes])
    let cut = heads(bytes.pieces(of: 1))
    try requireEqual(whole.0, cut.0, "heads are the same however they arrive")
    try require(whole.1 == cut.1, "what is wrong is the same however it arrives")
}

/// A body with codings. The first byte sets the codings, and the second one the size of the pieces.
private func codings(_ bytes: [UInt8]) throws {
    guard bytes.count > 2 else { return }
    let names = [["gzip"], ["deflate"], ["gzip", "gzip"], ["deflate", "gzip"], ["gzip", "deflate", "deflate"]]
    let fields: HTTPFields = [.contentEncoding: names[Int(bytes[0]) % names.count].joined(separator: ", ")]
    guard case .known(let codings) = ContentCoding.list(fields) else { throw BrokenProperty("codings are known") }
    let body = Array(bytes[2...])
    let whole = try expanded(body.pieces(of: 0), codings)
    let cut = try expanded(body.pieces(of: Int(bytes[1] % 64) + 1), codings)
    if whole.failure == nil, cut.failure == nil {
        try require(whole.bytes == cut.bytes, "a body expands to the same however it arrives")
    }
    _ = ContentCoding.list([.contentEncoding: body.text.filter { $0 != "\n" && $0 != "\r" && $0 != "\0" }])
}

private func expanded(
    _ pieces: [[UInt8]], _ codings: [ContentCoding]
) throws -> (bytes: [UInt8], failure: String?) {
    let limit = ExpansionLimit(factor: 1100, allowance: 64 << 10)
    let account = ExpansionAccount(limit)
    var body: any TransportBody = PieceBody(pieces)
    for (index, coding) in codings.reversed().enumerated() {
        body = DecompressedBody(body, coding, account, readsWire: index == 0)
    }
    let source = body
    let (bytes, failure) = try outcome {
        var bytes: [UInt8] = []
        do throws(ConversationError) {
            while let piece = try await source.next() { bytes += piece }
        } catch {
            return (bytes, error.code.description as String?)
        }
        return (bytes, nil as String?)
    }
    let most = max(limit.allowance, pieces.reduce(0) { $0 + $1.count } * limit.factor)
    try require(bytes.count <= most, "a body expands to what is allowed")
    return (bytes, failure)
}

/// An event stream. The first byte sets the size of the pieces.
private func events(_ bytes: [UInt8]) throws {
    guard let size = bytes.first else { return }
    let body = Array(bytes.dropFirst())
    let whole = events(body.pieces(of: 0))
    try requireEqual(events(body.pieces(of: Int(size % 16) + 1)), whole, "events are the same however they arrive")
    for event in whole {
        try require(event.data.utf8.count <= 3 * 4096, "an event is as long as it may be")
        try require(event.retry.map { $0 >= .zero } ?? true, "nobody waits for less than nothing")
    }
}

private func events(_ pieces: [[UInt8]]) -> [ServerSentEvent] {
    var splitter = LineSplitter(limit: 8192)
    var parser = EventStreamParser(limit: 4096)
    var events: [ServerSentEvent] = []
    do throws(ConversationError) {
        for piece in pieces {
            splitter.feed(piece)
            while let line = try splitter.next() {
                if let event = try parser.take(line) { events.append(event) }
            }
        }
    } catch {
        return events
    }
    return events
}
