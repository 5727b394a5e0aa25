import HTTPTypes
import HttpConversation
import HttpConversationNIO
import NIOSSL
import Testing

/// HTTP/2 spoken by hand: a server that may say anything.
final class HTTP2Peer {
    struct Frame {
        let type: UInt8
        let flags: UInt8
        let stream: Int
        let payload: [UInt8]

        var endsStream: Bool { flags & 1 != 0 }
    }

    struct Ended: Error {}

    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let priority: UInt8 = 2
    static let rstStream: UInt8 = 3
    static let settings: UInt8 = 4
    static let pushPromise: UInt8 = 5
    static let ping: UInt8 = 6
    static let goAway: UInt8 = 7
    static let windowUpdate: UInt8 = 8
    static let continuation: UInt8 = 9

    let connection: ServerConnection
    /// Whether pings are answered.
    var answersPings = true

    private init(_ connection: ServerConnection) { self.connection = connection }

    /// Reads the client's preface and sends the server's.
    static func accept(_ connection: ServerConnection, settings: [(UInt16, Int)] = []) async throws -> HTTP2Peer {
        let peer = HTTP2Peer(connection)
        _ = try await connection.readBytes(24)
        try await connection.write(Self.settings(settings))
        return peer
    }

    // MARK: Frames

    static func frame(_ type: UInt8, flags: UInt8 = 0, stream: Int = 0, _ payload: [UInt8] = []) -> [UInt8] {
        [UInt8(payload.count >> 16 & 0xFF), UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF), type, flags]
            + number(stream) + payload
    }

    static func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

    static func settings(_ values: [(UInt16, Int)]) -> [UInt8] {
        frame(settings, values.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xFF)] + number($0.1) })
    }

    /// Literals without indexing (RFC 7541 §6.2.2).
    static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0] + literal($0.0) + literal($0.1) }
    }

    private static func literal(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var rest = bytes.count - 127
        var length: [UInt8] = [127]
        while rest >= 128 {
            length.append(UInt8(rest % 128) | 128)
            rest /= 128
        }
        return length + [UInt8(rest)] + bytes
    }

    static func head(_ stream: Int, _ fields: [(String, String)], ends: Bool = false) -> [UInt8] {
        frame(headers, flags: ends ? 5 : 4, stream: stream, block(fields))
    }

    static func body(_ stream: Int, _ bytes: [UInt8], ends: Bool = true) -> [UInt8] {
        frame(data, flags: ends ? 1 : 0, stream: stream, bytes)
    }

    // MARK: Talking

    /// The next frame that is not about the connection itself; SETTINGS and PING are answered.
    func read() async throws -> Frame {
        while true {
            let head = try await connection.readBytes(9)
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            let payload = length == 0 ? [] : try await connection.readBytes(length)
            let stream = head[5...8].reduce(0) { $0 << 8 | Int($1) }
            let frame = Frame(type: head[3], flags: head[4], stream: stream, payload: payload)
            switch frame.type {
            case Self.settings:
                if frame.flags & 1 == 0 { try await connection.write(Self.frame(Self.settings, flags: 1)) }
            case Self.ping where frame.flags & 1 == 0 && answersPings:
                try await connection.write(Self.frame(Self.ping, flags: 1, payload))
            case Self.windowUpdate where stream == 0: break
            default: return frame
            }
        }
    }

    /// The stream of the next request.
    func readRequest() async throws -> Int {
        while true {
            let frame = try await read()
            if frame.type == Self.headers { return frame.stream }
        }
    }

    /// The next frame of a type.
    func read(_ type: UInt8) async throws -> Frame {
        while true {
            let frame = try await read()
            if frame.type == type { return frame }
        }
    }

    func write(_ bytes: [UInt8]) async throws { try await connection.write(bytes) }

    /// 200 with a text.
    func respond(_ stream: Int, _ text: String = "ok") async throws {
        try await write(Self.head(stream, [(":status", "200")]) + Self.body(stream, Array(text.utf8)))
    }

    func reset(_ stream: Int, _ code: Int) async throws {
        try await write(Self.frame(Self.rstStream, stream: stream, Self.number(code)))
    }

    func goAway(last: Int, code: Int = 0) async throws {
        try await write(Self.frame(Self.goAway, Self.number(last) + Self.number(code)))
    }

    /// Answers each request until the client goes.
    func serve(_ text: String = "ok") async throws { while true { try await respond(try await readRequest(), text) } }
}

/// A server that speaks HTTP/2 by hand, and a transport that trusts it.
enum HTTP2Server {
    static func run(
        protocols: [String] = ["h2"], configure: (inout NIOTransport.Configuration) -> Void = { _ in },
        script: @escaping RawServer.Script,
        _ body: @Sendable (RawServer, NIOTransport, String) async throws -> Void
    ) async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make {
            $0.tls.trustRoots = .pem(authority.pem)
            configure(&$0)
        }
        let tls = try authority.serverContext(protocols: protocols)
        try await RawServer.run(tls: tls, script: script) { server in
            try await body(server, transport, "https://localhost:\(server.port)/")
        }
        await transport.shutdown()
    }
}

extension NIOTransport {
    /// Expects the whole text of a response.
    func expect(
        _ text: String, _ method: HTTPRequest.Method = .get, _ url: String, body: RequestBody? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let received = try await self.text(method, url, body: body)
        #expect(received == text, sourceLocation: sourceLocation)
    }
}
