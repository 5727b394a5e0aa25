import HTTPTypes
import HttpConversation
import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP1
import TestSupport
import Testing

@testable import HttpConversationNIO

/// Heads and bodies of responses, without a socket. Real servers and pieces of all sizes have tests of their own.
@Suite struct ResponseReaderTests {
    enum Reading: Equatable {
        case response(Int, [String], String)
        case unfinished
        case refused(ExchangeProgress.Refusal)
    }

    /// Reads a response as the handler does.
    static func read(_ bytes: [UInt8], piece: Int = .max, limit: Int = 8192) -> Reading {
        var heads = ResponseHeadReader(maximumBytes: limit)
        var machine = HTTP1StateMachine()
        machine.begin(.sent)
        var buffer = ByteBuffer()
        var body = BurstBytes()
        var final: ResponseHead?
        do throws(ExchangeProgress.Refusal) {
            var rest = bytes[...]
            while !rest.isEmpty {
                buffer.writeBytes(rest.prefix(piece))
                rest = rest.dropFirst(piece)
                while final == nil {
                    var head: ResponseHead?
                    do { head = try heads.read(&buffer) } catch { throw .head(error) }
                    guard var head else { break }
                    guard head.joinLengths() else { throw .invalidLength }
                    switch machine.receivedHead(head) {
                    case .final, .finalBeforeBody: final = head
                    case .refuse(let refusal): throw refusal
                    case .interim, .sendBody, .upgraded: break
                    }
                }
                if final != nil { try machine.receivedBody(&buffer, into: &body) }
            }
        } catch {
            return .refused(error)
        }
        guard let final, machine.expectsNothing || machine.receivedEnd() else { return .unfinished }
        if buffer.readableBytes > 0 { return .refused(.unexpectedBytes) }
        return .response(
            final.status.code, final.fields.map { "\($0.name.rawName): \($0.value)" },
            String(decoding: body.take(), as: UTF8.self))
    }

    /// Reads a response by NIO's parser.
    static func reference(_ bytes: [UInt8]) -> Reading {
        let decoder = ByteToMessageHandler(
            HTTPResponseDecoder(leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .forward))
        let channel = EmbeddedChannel(handler: decoder)
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        do {
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
            try channel.writeOutbound(
                HTTPClientRequestPart.head(HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")))
            try channel.writeInbound(ByteBuffer(bytes: bytes))
            _ = try channel.finish()
        } catch {
            return .refused(.unexpectedBytes)
        }
        var head: HTTPResponseHead?
        var body: [UInt8] = []
        while let part = try? channel.readInbound(as: HTTPClientResponsePart.self) {
            switch part {
            case .head(let next): if head == nil || head.map({ $0.status.code < 200 }) == true { head = next }
            case .body(let buffer): body += buffer.readableBytesView
            case .end:
                guard let head else { return .unfinished }
                return .response(
                    Int(head.status.code), head.headers.map { "\($0): \($1)" }, String(decoding: body, as: UTF8.self))
            }
        }
        return .unfinished
    }

    private static let whole =
        [
            ("HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 2\r\n\r\nok", 200, ["A: b", "Content-Length: 2"], "ok"),
            ("\r\n\r\nHTTP/1.1 404\r\nContent-Length: 0\r\n\r\n", 404, ["Content-Length: 0"], ""),
            ("HTTP/1.0 299 \r\nA:\tb \t\r\nB:\r\n\r\nto the end", 299, ["A: b", "B: "], "to the end"),
            ("HTTP/1.1 200 x\r\nContent-Length: 002,2\r\nContent-Length: 2\r\n\r\nok", nil, [], ""),
            (
                "HTTP/1.1 100 Continue\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKED\r\n\r\n"
                    + "2  \r\nok\r\n000a;x=\"y\"\r\n0123456789\r\n0\r\nA: b\r\n\r\n",
                200, ["Transfer-Encoding: CHUNKED"], "ok0123456789"
            ),
            ("HTTP/1.1 304 x\r\nTransfer-Encoding: chunked\r\n\r\n", 304, ["Transfer-Encoding: chunked"], ""),
        ] as [(String, Int?, [String], String)]

    @Test(arguments: whole, [Int.max, 1, 5])
    func responses(response: (text: String, status: Int?, fields: [String], body: String), piece: Int) {
        let expected =
            response.status.map { Reading.response($0, response.fields, response.body) } ?? .refused(.invalidLength)
        #expect(Self.read(Array(response.text.utf8), piece: piece) == expected)
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
    /// A chunk of one byte in many bytes.
    private static let longLine = "1;" + String(repeating: "a", count: 8000) + "\r\nx\r\n"
    private static let refused =
        [
            ("SSH-2.0-x\n", .head(.notHTTP)), ("\r\nICY 200 OK\r\n", .head(.notHTTP)),
            ("HTTP/2.0 200 OK\r\n", .head(.notHTTP)), ("\u{15}\u{3}", .head(.notHTTP)),
            ("HTTP/1.1 2000 OK\r\n", .head(.invalidStatus)), ("HTTP/1.1 099 OK\r\n", .head(.invalidStatus)),
            ("HTTP/1.x 200 OK\r\n", .head(.invalidStatus)), ("HTTP/1.2 200 OK\r\n", .head(.invalidStatus)),
            ("HTTP/1.1  200 OK\r\n", .head(.invalidStatus)),
            ("HTTP/1.1 200 O\u{0}K\r\n", .head(.invalidStatus)), ("HTTP/1.1 200 OK\n", .head(.invalidStatus)),
            ("HTTP/1.1 200 \u{1B}[2J\r\n", .head(.invalidStatus)), ("\n" + ok, .head(.invalidStatus)),
            (ok + "A : b\r\n\r\n", .head(.invalidField)), (ok + ": b\r\n\r\n", .head(.invalidField)),
            (ok + "A\r\n\r\n", .head(.invalidField)), (ok + "A: b\nSet-Cookie: c=d\r\n\r\n", .head(.invalidField)),
            (ok + "A: b\rSet-Cookie: c=d\r\n\r\n", .head(.invalidField)),
            (ok + "A: b\u{0}\r\n\r\n", .head(.invalidField)),
            (ok + "\u{E4}: b\r\n\r\n", .head(.invalidField)), (ok + "A: b\r\r\n\r\n", .head(.invalidField)),
            (ok + "A: b\r\n\n", .head(.invalidField)), (ok + " A: b\r\n\r\n", .head(.invalidField)),
            (ok + String(repeating: "A:\r\n", count: 1001) + "\r\n", .head(.tooLarge)),
            (ok + "A: " + String(repeating: "b", count: 8192), .head(.tooLarge)),
            (ok + "Content-Length: 2, 3\r\n\r\nok", .invalidLength),
            (ok + "Content-Length: +2\r\n\r\nok", .invalidLength),
            (ok + "Content-Length: 2,\r\n\r\nok", .invalidLength), (ok + "Content-Length:\r\n\r\nok", .invalidLength),
            (ok + "Content-Length: 9223372036854775808\r\n\r\n", .invalidLength),
            (ok + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nok", .transferEncodingAndLength),
            (ok + "Transfer-Encoding: gzip, chunked\r\n\r\n", .unknownTransferEncoding),
            (ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", .unknownTransferEncoding),
            (ok + "Content-Length: 2\r\n\r\nok!", .unexpectedBytes), (chunked + "0\r\n\r\n!", .unexpectedBytes),
            (chunked + "\r\n", .invalidChunk), (chunked + "-1\r\n", .invalidChunk),
            (chunked + "0x1\r\n", .invalidChunk),
            (chunked + "1\na\r\n", .invalidChunk), (chunked + "1\r\nab\r\n", .invalidChunk),
            (chunked + "1\r\na\n", .invalidChunk),
            (chunked + "1\r\na\r0", .invalidChunk), (chunked + "8000000000000000\r\n", .invalidChunk),
            (chunked + "1 x\r\n", .invalidChunk), (chunked + "1;\u{0}\r\n", .invalidChunk),
            (chunked + String(repeating: "0", count: 8195), .invalidChunk),
            (chunked + String(repeating: longLine, count: 20), .invalidChunk),
            (chunked + "0\r\nA\r\n", .invalidTrailer), (chunked + "0\r\nA: b\r\n c\r\n", .invalidTrailer),
            (chunked + "0\r\nA: b\n", .invalidTrailer),
            (chunked + "0\r\n" + String(repeating: "A: b\r\n", count: 20_000), .largeTrailers),
        ] as [(String, ExchangeProgress.Refusal)]

    @Test(arguments: refused, [Int.max, 1, 5])
    func refusals(response: (text: String, refusal: ExchangeProgress.Refusal), piece: Int) {
        #expect(Self.read(Array(response.text.utf8), piece: piece) == .refused(response.refusal))
    }

    /// The lines of chunks may be long now and then, and need not be worth their data in small chunks.
    @Test(arguments: [
        (String(repeating: "1;x=yz\r\nx\r\n", count: 20_000), 20_000),
        (String(repeating: "1f40\r\n" + String(repeating: "x", count: 8000) + "\r\n" + longLine, count: 40), 320_040),
        (String(repeating: longLine, count: 8), 8),
    ])
    func linesOfChunks(chunks: (text: String, count: Int)) {
        let bytes = Array((Self.chunked + chunks.text + "0\r\n\r\n").utf8)
        let text = String(repeating: "x", count: chunks.count)
        #expect(Self.read(bytes) == .response(200, ["Transfer-Encoding: chunked"], text))
    }

    /// Only names of small heads are kept, however they arrive.
    @Test(arguments: [Int.max, 100]) func namesOfALargeHeadAreNotKept(piece: Int) throws {
        for (count, isKept) in [(3, true), (100, false)] {
            let fields = (0..<count).map { "Name-\($0)-\(String(repeating: "N", count: 200)): a\r\n" }.joined()
            var heads = ResponseHeadReader(maximumBytes: 64 << 10)
            for _ in 1...2 {
                heads.reset()
                var buffer = ByteBuffer()
                var head: ResponseHead?
                var rest = Array((Self.ok + fields + "\r\n").utf8)[...]
                while !rest.isEmpty {
                    buffer.writeBytes(rest.prefix(piece))
                    rest = rest.dropFirst(piece)
                    head = try heads.read(&buffer)
                }
                #expect(head?.fields.count == count)
                #expect(heads.names.count == (isKept ? count : 0))
            }
        }
    }

    @Test func aNameIsComparedWithTheOneAtItsPlace() throws {
        var heads = ResponseHeadReader(maximumBytes: 4096)
        for fields in [
            ["A: b", "C: d"], ["A: b", "C: d"], ["A: b"], ["a: b", "C: e"], ["A: b", "C: e", "F: g"], ["F: g"], [],
        ] {
            heads.reset()
            var buffer = ByteBuffer(string: Self.ok + fields.map { $0 + "\r\n" }.joined() + "\r\n")
            let head = try #require(try heads.read(&buffer))
            #expect(head.fields.map { "\($0.name.rawName): \($0.value)" } == fields)
            #expect(buffer.readableBytes == 0)
        }
    }

    /// A limit of heads that an application has raised lets through more fields than `HTTPFields` takes.
    @Test func fieldsOfHTTP2AreCounted() {
        var headers: HPACKHeaders = [":status": "200"]
        for _ in 0..<70_000 { headers.add(name: "a", value: "b") }
        #expect(throws: ExchangeProgress.Refusal.head(.tooLarge)) { try HTTP2Heads.response(headers) }
    }

    /// Our readers refuse all that NIO's parser refuses, but for folds, repeated lengths, and spaces and odd bytes
    /// behind a chunk's size.
    @Test func nothingIsReadThatNIORefuses() async {
        let bases = [
            "HTTP/1.1 200 OK\r\nServer: x\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\n5\r\nhello\r\nA;x=y\r\n0123456789\r\n0\r\nT: u\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n00a\r\n0123456789\r\n0\r\n\r\n",
            "HTTP/1.0 404 Not Found\r\nConnection: close\r\n\r\ntext",
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\nX: y\r\n\r\n",
        ]
        let inserted = Array("\r\n \t:;,0159afAF-xHTP/.\u{0}\u{7F}\u{80}\"".utf8)
        var random = SplitMix(state: 5)
        var compared = 0
        for number in 0..<10_000 {
            await Task.yield()
            var bytes = Array(bases[number % bases.count].utf8)
            for _ in 0...(number % 2) { Self.alter(&bytes, inserted, &random) }
            let ours = Self.read(bytes)
            guard case .response(let status, let fields, let body) = ours else { continue }
            switch Self.reference(bytes) {
            case .response(let otherStatus, let otherFields, let otherBody):
                compared += 1
                let trimmed = otherFields.map { String($0.reversed().drop { $0 == " " || $0 == "\t" }.reversed()) }
                #expect(status == otherStatus && body == otherBody && fields.map(Self.trimmed) == trimmed, "\(bytes)")
            case .refused, .unfinished:
                #expect(
                    Self.isReadByUsOnly(String(decoding: bytes, as: UTF8.self)),
                    "\(String(decoding: bytes, as: UTF8.self))")
            }
        }
        #expect(compared > 1000)
    }

    private static func trimmed(_ field: String) -> String { String(field.reversed().drop { $0 == " " }.reversed()) }

    private static func isReadByUsOnly(_ text: String) -> Bool {
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
        return lines.contains {
            $0.first == " " || $0.first == "\t" || $0.contains(";") || $0.hasSuffix(" ") || $0.hasSuffix("\t")
        }
            || lines.count { $0.lowercased().hasPrefix("content-length") } > 1
    }

    private static func alter(_ bytes: inout [UInt8], _ inserted: [UInt8], _ random: inout SplitMix) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let byte = inserted[Int.random(in: 0..<inserted.count, using: &random)]
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = byte
        case 1: bytes.insert(byte, at: place)
        case 2: bytes.remove(at: place)
        default: bytes.insert(contentsOf: bytes[place...Int.random(in: place..<bytes.count, using: &random)], at: place)
        }
    }
}
