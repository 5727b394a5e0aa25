import HttpConversation

/// Frames that the server of a case sends.
struct HTTP2Fault: Sendable {
    let name: String
    let codes: [ConversationError.Code]
    let bytes: [UInt8]

    init(_ name: String, _ codes: ConversationError.Code..., bytes: [UInt8]) {
        self.name = name
        self.codes = codes
        self.bytes = bytes
    }
}

/// Faulty and odd frames of HTTP/2 that a client must cope with.
enum HTTP2Faults {
    private typealias Peer = HTTP2Peer
    private static let ok = Peer.head(1, [(":status", "200")])

    /// Frames against the rules of the connection.
    static let frames: [HTTP2Fault] = [
        HTTP2Fault("a frame that is too large", .http2Failed, bytes: [0, 0x80, 0, 0, 0, 0, 0, 0, 1]),
        HTTP2Fault("DATA on no stream", .http2Failed, bytes: Peer.body(0, [1])),
        HTTP2Fault("HEADERS on no stream", .http2Failed, bytes: Peer.head(0, [(":status", "200")])),
        HTTP2Fault("DATA on a stream that nobody opened", .http2Failed, bytes: Peer.body(9, [1])),
        HTTP2Fault("HEADERS on a stream that nobody opened", .http2Failed, bytes: Peer.head(9, [(":status", "200")])),
        HTTP2Fault("HEADERS on a stream of the server's", .http2Failed, bytes: Peer.head(2, [(":status", "200")])),
        HTTP2Fault("RST_STREAM on a stream that nobody opened", .http2Failed, bytes: reset(9)),
        HTTP2Fault(
            "CONTINUATION without HEADERS", .http2Failed, bytes: Peer.frame(Peer.continuation, flags: 4, stream: 1)),
        HTTP2Fault(
            "DATA amid a head", .http2Failed,
            bytes: Peer.frame(Peer.headers, stream: 1, Peer.block([(":status", "200")])) + Peer.body(1, [1])),
        HTTP2Fault("SETTINGS of a wrong length", .http2Failed, bytes: Peer.frame(Peer.settings, [1, 2, 3])),
        HTTP2Fault("SETTINGS on a stream", .http2Failed, bytes: Peer.frame(Peer.settings, stream: 1)),
        HTTP2Fault("an impossible window setting", .http2Failed, bytes: Peer.settings([(4, 0xFFFF_FFFF)])),
        HTTP2Fault("an impossible frame size setting", .http2Failed, bytes: Peer.settings([(5, 1)])),
        HTTP2Fault("a window increment of 0", .http2Failed, .malformedResponse, bytes: increment(0, 0)),
        HTTP2Fault("a window that overflows", .http2Failed, bytes: increment(0, 0x7FFF_FFFF)),
        HTTP2Fault(
            "a push", .http2Failed,
            bytes: Peer.frame(Peer.pushPromise, flags: 4, stream: 1, Peer.number(2) + Peer.block([(":method", "GET")]))),
        HTTP2Fault(
            "a damaged head", .http2Failed, bytes: Peer.frame(Peer.headers, flags: 4, stream: 1, [0xFF, 0xFF, 0xFF])),
        HTTP2Fault("PING of a wrong length", .http2Failed, bytes: Peer.frame(Peer.ping, [1])),
        HTTP2Fault("GOAWAY of a wrong length", .http2Failed, bytes: Peer.frame(Peer.goAway, [1])),
        HTTP2Fault(
            "padding that is longer than its frame", .http2Failed, bytes: ok + Peer.frame(0, flags: 8, stream: 1, [9])),
        HTTP2Fault(
            "more than the window", .http2Failed, .malformedResponse,
            bytes: ok + (0..<5).flatMap { _ in Peer.body(1, [UInt8](repeating: 1, count: 16_384), ends: false) }),
        HTTP2Fault("RST_STREAM on no stream", .http2Failed, bytes: reset(0)),
        HTTP2Fault("RST_STREAM of a wrong length", .http2Failed, bytes: Peer.frame(Peer.rstStream, stream: 1, [1])),
        HTTP2Fault("RST_STREAM on a stream of the server's", .http2Failed, bytes: reset(2)),
        HTTP2Fault("PING on a stream", .http2Failed, bytes: Peer.frame(Peer.ping, stream: 1, eight)),
        HTTP2Fault("GOAWAY on a stream", .http2Failed, bytes: Peer.frame(Peer.goAway, stream: 1, eight)),
        HTTP2Fault(
            "a GOAWAY that takes another one back", .http2Failed,
            bytes: Peer.frame(Peer.goAway, Peer.number(1) + Peer.number(0))
                + Peer.frame(Peer.goAway, Peer.number(9) + Peer.number(0))),
        HTTP2Fault("PRIORITY of a wrong length", .http2Failed, bytes: Peer.frame(Peer.priority, stream: 1, [1])),
        HTTP2Fault(
            "PRIORITY on no stream", .http2Failed, bytes: Peer.frame(Peer.priority, stream: 0, [0, 0, 0, 3, 1])),
        HTTP2Fault("WINDOW_UPDATE of a wrong length", .http2Failed, bytes: Peer.frame(Peer.windowUpdate, [1])),
        HTTP2Fault("WINDOW_UPDATE on a stream that nobody opened", .http2Failed, bytes: increment(9, 1)),
        HTTP2Fault(
            "an answer to SETTINGS with a payload", .http2Failed, bytes: Peer.frame(Peer.settings, flags: 1, six)),
        HTTP2Fault(
            "an answer to SETTINGS that were not sent", .http2Failed,
            bytes: times(3, Peer.frame(Peer.settings, flags: 1))),
        HTTP2Fault("pushing switched to 2", .http2Failed, bytes: Peer.settings([(2, 2)])),
        HTTP2Fault("pushing switched on by a server", .http2Failed, bytes: Peer.settings([(2, 1)])),
        HTTP2Fault("a frame size setting that is too large", .http2Failed, bytes: Peer.settings([(5, 1 << 24)])),
        HTTP2Fault("a push on no stream", .http2Failed, bytes: Peer.frame(Peer.pushPromise, flags: 4, Peer.number(2))),
        HTTP2Fault(
            "a push with an id of the client's", .http2Failed,
            bytes: Peer.frame(Peer.pushPromise, flags: 4, stream: 1, Peer.number(9) + Peer.block([(":method", "GET")]))),
        HTTP2Fault(
            "HEADERS whose padding is longer than they are", .http2Failed,
            bytes: Peer.frame(Peer.headers, flags: 12, stream: 1, [200] + Peer.block([(":status", "200")]))),
        HTTP2Fault(
            "HEADERS without room for their priority", .http2Failed,
            bytes: Peer.frame(Peer.headers, flags: 36, stream: 1, [0])),
        HTTP2Fault(
            "CONTINUATION on another stream", .http2Failed,
            bytes: Peer.frame(Peer.headers, stream: 1, Peer.block([(":status", "200")]))
                + Peer.frame(Peer.continuation, flags: 4, stream: 3)),
        HTTP2Fault(
            "PING amid a head", .http2Failed,
            bytes: Peer.frame(Peer.headers, stream: 1, Peer.block([(":status", "200")]))
                + Peer.frame(Peer.ping, eight)),
        HTTP2Fault(
            "an unknown frame amid a head", .http2Failed,
            bytes: Peer.frame(Peer.headers, stream: 1, Peer.block([(":status", "200")]))
                + Peer.frame(0xAA, stream: 1, [1])),
        HTTP2Fault("DATA without room for its padding", .http2Failed, bytes: ok + Peer.frame(0, flags: 8, stream: 1)),
        HTTP2Fault("text", .http2Failed, bytes: Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)),
    ]

    /// Heads that cannot be decompressed (RFC 7541).
    static let compression: [HTTP2Fault] = [
        ("an index of 0", [0x80]), ("an index beyond the table", [0xFF, 0x80, 0x80, 0x04]),
        ("a number that overflows", [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]),
        ("a number that ends amid", [0xFF, 0x80]), ("a text that ends amid", [0x00, 0x05, 0x61]),
        ("a table that is too large", [0x3F, 0xE1, 0xFF, 0xFF, 0x7F]),
        ("a table whose size changes behind a field", [0x88, 0x20]),
        ("Huffman's end of text", [0x00, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x61]),
        ("Huffman padding of zeros", [0x00, 0x81, 0x18, 0x01, 0x61]),
    ].map {
        HTTP2Fault("a head with \($0.0)", .http2Failed, bytes: Peer.frame(Peer.headers, flags: 5, stream: 1, $0.1))
    }

    /// Responses that must be refused.
    static let responses: [HTTP2Fault] = [
        HTTP2Fault("no status", .malformedResponse, bytes: Peer.head(1, [("a", "b")], ends: true)),
        HTTP2Fault("two statuses", .malformedResponse, bytes: Peer.head(1, [(":status", "200"), (":status", "200")])),
        HTTP2Fault("a status that is none", .malformedResponse, bytes: Peer.head(1, [(":status", "2x0")], ends: true)),
        HTTP2Fault(
            "a status of four digits", .malformedResponse, bytes: Peer.head(1, [(":status", "2000")], ends: true)),
        HTTP2Fault("101", .malformedResponse, bytes: Peer.head(1, [(":status", "101")])),
        HTTP2Fault("a status after fields", .malformedResponse, bytes: Peer.head(1, [("a", "b"), (":status", "200")])),
        HTTP2Fault(
            "a field of requests", .malformedResponse, bytes: Peer.head(1, [(":status", "200"), (":path", "/")])),
        HTTP2Fault("capitals", .malformedResponse, bytes: Peer.head(1, [(":status", "200"), ("X-A", "b")])),
        HTTP2Fault(
            "Connection", .malformedResponse, bytes: Peer.head(1, [(":status", "200"), ("connection", "close")])),
        HTTP2Fault(
            "Transfer-Encoding", .malformedResponse,
            bytes: Peer.head(1, [(":status", "200"), ("transfer-encoding", "chunked")])),
        HTTP2Fault(
            "a line end in a value", .malformedResponse, bytes: Peer.head(1, [(":status", "200"), ("a", "b\r\nc")])),
        HTTP2Fault("Keep-Alive", .malformedResponse, bytes: Peer.head(1, [(":status", "200"), ("keep-alive", "a")])),
        HTTP2Fault(
            "Proxy-Connection", .malformedResponse,
            bytes: Peer.head(1, [(":status", "200"), ("proxy-connection", "close")])),
        HTTP2Fault("Upgrade", .malformedResponse, bytes: Peer.head(1, [(":status", "200"), ("upgrade", "h2c")])),
        HTTP2Fault("an empty status", .malformedResponse, bytes: Peer.head(1, [(":status", "")], ends: true)),
        HTTP2Fault("a status of 099", .malformedResponse, bytes: Peer.head(1, [(":status", "099")], ends: true)),
        HTTP2Fault(
            "an unknown pseudo field", .malformedResponse, bytes: Peer.head(1, [(":status", "200"), (":a", "b")])),
        HTTP2Fault(
            "a field without a name", .malformedResponse, .http2Failed,
            bytes: Peer.head(1, [(":status", "200"), ("", "b")])),
        HTTP2Fault("a space in a name", .malformedResponse, bytes: Peer.head(1, [(":status", "200"), ("a b", "c")])),
        HTTP2Fault("a colon in a name", .malformedResponse, bytes: Peer.head(1, [(":status", "200"), ("a:b", "c")])),
        HTTP2Fault("NUL in a value", .malformedResponse, bytes: Peer.head(1, [(":status", "200"), ("a", "b\0")])),
        HTTP2Fault(
            "a length below zero", .malformedResponse,
            bytes: Peer.head(1, [(":status", "200"), ("content-length", "-1")])),
        HTTP2Fault(
            "a length that is none", .malformedResponse,
            bytes: Peer.head(1, [(":status", "200"), ("content-length", "many")])),
        HTTP2Fault(
            "a length and no body", .malformedResponse,
            bytes: Peer.head(1, [(":status", "200"), ("content-length", "5")], ends: true)),
        HTTP2Fault(
            "a status in trailers", .malformedResponse,
            bytes: ok + Peer.body(1, [1], ends: false) + Peer.head(1, [(":status", "200")], ends: true)),
        HTTP2Fault(
            "Connection in trailers", .malformedResponse,
            bytes: ok + Peer.body(1, [1], ends: false) + Peer.head(1, [("connection", "close")], ends: true)),
        HTTP2Fault(
            "a head that ends it before a body", .malformedResponse, .http2Failed,
            bytes: Peer.head(1, [(":status", "103")]) + Peer.body(1, [1])),
        HTTP2Fault("DATA before a head", .malformedResponse, .http2Failed, bytes: Peer.body(1, [1])),
        HTTP2Fault(
            "an end after 1xx", .malformedResponse, .http2Failed, bytes: Peer.head(1, [(":status", "103")], ends: true)),
        HTTP2Fault(
            "a body that is too short", .malformedResponse,
            bytes: Peer.head(1, [(":status", "200"), ("content-length", "9")]) + Peer.body(1, [1])),
        HTTP2Fault(
            "a body that is too long", .malformedResponse,
            bytes: Peer.head(1, [(":status", "200"), ("content-length", "1")]) + Peer.body(1, [1, 2])),
        HTTP2Fault(
            "two lengths", .malformedResponse,
            bytes: Peer.head(1, [(":status", "200"), ("content-length", "1"), ("content-length", "2")])),
        HTTP2Fault(
            "trailers that do not end", .malformedResponse, .http2Failed, bytes: ok + Peer.head(1, [("a", "b")])),
    ]

    /// Floods: far more of something than any server needs.
    static let floods: [HTTP2Fault] = [
        HTTP2Fault("SETTINGS", .http2Failed, bytes: times(1000, Peer.frame(Peer.settings))),
        HTTP2Fault("PING", .http2Failed, bytes: times(1000, Peer.frame(Peer.ping, [1, 2, 3, 4, 5, 6, 7, 8]))),
        HTTP2Fault(
            "PRIORITY", .http2Failed, bytes: times(1000, Peer.frame(Peer.priority, stream: 1, [0, 0, 0, 3, 1]))),
        HTTP2Fault(
            "GOAWAY", .http2Failed, bytes: times(1000, Peer.frame(Peer.goAway, Peer.number(1) + Peer.number(0)))),
        HTTP2Fault("WINDOW_UPDATE", .http2Failed, bytes: times(5000, increment(1, 1))),
        HTTP2Fault("empty DATA", .http2Failed, bytes: ok + times(1000, Peer.body(1, [], ends: false))),
        HTTP2Fault("interim responses", .malformedResponse, bytes: times(100, Peer.head(1, [(":status", "103")]))),
        HTTP2Fault(
            "CONTINUATION", .http2Failed,
            bytes: Peer.frame(Peer.headers, stream: 1, Peer.block([(":status", "200")]))
                + times(1000, Peer.frame(Peer.continuation, stream: 1))),
        HTTP2Fault(
            "fields", .tooLarge, .http2Failed,
            bytes: head(Array(repeating: ("a", String(repeating: "b", count: 100)), count: 10_000))),
        HTTP2Fault("one large field", .tooLarge, .http2Failed, bytes: largeField()),
        HTTP2Fault("RST_STREAM", .http2StreamReset, .http2Failed, bytes: times(1000, reset(1))),
    ]

    /// Frames on a stream whose request is still being sent.
    static let whileSending: [HTTP2Fault] = [
        HTTP2Fault("a window increment of 0", .http2Failed, .malformedResponse, bytes: increment(1, 0)),
        HTTP2Fault(
            "a window that overflows", .http2Failed, .malformedResponse, bytes: times(2, increment(1, 0x7FFF_FFFF))),
        HTTP2Fault(
            "an initial window that overflows", .http2Failed, .malformedResponse,
            bytes: increment(1, 0x7FFE_0000) + Peer.settings([(4, 0x7FFF_FFFF)])),
    ]

    /// Frames without effect, which may come at any time.
    static let harmless: [HTTP2Fault] = [
        HTTP2Fault("an unknown frame", bytes: Peer.frame(0xAA, [1, 2, 3])),
        HTTP2Fault("an unknown frame on a stream", bytes: Peer.frame(0xAA, stream: 1, [1, 2, 3])),
        HTTP2Fault("an unknown frame on a stream that nobody opened", bytes: Peer.frame(0xAA, stream: 99, [1])),
        HTTP2Fault("an unknown setting", bytes: Peer.settings([(0xAAAA, 7)])),
        HTTP2Fault("unknown flags", bytes: Peer.frame(Peer.ping, flags: 0xF0, eight)),
        HTTP2Fault("PRIORITY", bytes: Peer.frame(Peer.priority, stream: 1, [0, 0, 0, 3, 1])),
        HTTP2Fault(
            "PRIORITY of a stream that nobody opened", bytes: Peer.frame(Peer.priority, stream: 9, [0, 0, 0, 3, 1])),
        HTTP2Fault("an answer to a PING that was not sent", bytes: Peer.frame(Peer.ping, flags: 1, eight)),
        HTTP2Fault("ALTSVC", bytes: Peer.frame(0xA, [0, 0])),
        HTTP2Fault("ORIGIN", bytes: Peer.frame(0xC, [0, 1, 97])),
        HTTP2Fault(
            "a padded interim head",
            bytes: Peer.frame(
                Peer.headers, flags: 12, stream: 1, [3] + Peer.block([(":status", "103")]) + [0, 0, 0])),
    ]

    /// Frames on a stream whose response is complete, or on no stream.
    static let afterTheEnd: [HTTP2Fault] = [
        HTTP2Fault("DATA on no stream", bytes: Peer.body(0, [1])),
        HTTP2Fault("DATA on its stream", bytes: Peer.body(1, [1])),
        HTTP2Fault("HEADERS on its stream", bytes: Peer.head(1, [(":status", "200")])),
        HTTP2Fault("trailers on its stream", bytes: Peer.head(1, [("a", "b")], ends: true)),
        HTTP2Fault("RST_STREAM on its stream", bytes: reset(1)),
        HTTP2Fault("WINDOW_UPDATE on its stream", bytes: increment(1, 1)),
        HTTP2Fault("text", bytes: Array("HTTP/1.1 200 OK\r\n\r\n".utf8)),
    ]

    private static let six: [UInt8] = [0, 3, 0, 0, 0, 9]
    private static let eight: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]

    private static func reset(_ stream: Int) -> [UInt8] { Peer.frame(Peer.rstStream, stream: stream, Peer.number(2)) }

    private static func increment(_ stream: Int, _ by: Int) -> [UInt8] {
        Peer.frame(Peer.windowUpdate, stream: stream, Peer.number(by))
    }

    private static func times(_ count: Int, _ bytes: [UInt8]) -> [UInt8] {
        Array(repeatElement(bytes, count: count).joined())
    }

    private static func largeField() -> [UInt8] { head([("a", String(repeating: "b", count: 1 << 20))]) }

    /// A head, split into as many frames as it needs.
    private static func head(_ fields: [(String, String)]) -> [UInt8] {
        let block = Peer.block([(":status", "200")] + fields)
        let pieces = stride(from: 0, to: block.count, by: 16_000).map {
            Array(block[$0..<min($0 + 16_000, block.count)])
        }
        return pieces.enumerated().flatMap { index, piece in
            Peer.frame(
                index == 0 ? Peer.headers : Peer.continuation, flags: index == pieces.count - 1 ? 4 : 0, stream: 1,
                piece)
        }
    }
}
