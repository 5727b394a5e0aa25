/// A server of HTTP/2 that sends arbitrary frames.
package final class HTTP2Peer {
    package struct Frame {
        package let type: UInt8
        package let flags: UInt8
        package let stream: Int
        package let payload: [UInt8]

        package var endsStream: Bool { flags & 1 != 0 }
    }

    package static let data: UInt8 = 0
    package static let headers: UInt8 = 1
    package static let priority: UInt8 = 2
    package static let rstStream: UInt8 = 3
    package static let settings: UInt8 = 4
    package static let pushPromise: UInt8 = 5
    package static let ping: UInt8 = 6
    package static let goAway: UInt8 = 7
    package static let windowUpdate: UInt8 = 8
    package static let continuation: UInt8 = 9

    package let connection: ServerConnection
    /// Whether pings are answered.
    package var answersPings = true

    private init(_ connection: ServerConnection) { self.connection = connection }

    /// Reads the client's preface and sends the server's.
    package static func accept(_ connection: ServerConnection, settings: [(UInt16, Int)] = []) async throws -> HTTP2Peer
    {
        let peer = HTTP2Peer(connection)
        _ = try await connection.readBytes(24)
        try await connection.write(Self.settings(settings))
        return peer
    }

    // MARK: Frames

    package static func frame(_ type: UInt8, flags: UInt8 = 0, stream: Int = 0, _ payload: [UInt8] = []) -> [UInt8] {
        [UInt8(payload.count >> 16 & 0xFF), UInt8(payload.count >> 8 & 0xFF), UInt8(payload.count & 0xFF), type, flags]
            + number(stream) + payload
    }

    package static func number(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    package static func settings(_ values: [(UInt16, Int)]) -> [UInt8] {
        frame(settings, values.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xFF)] + number($0.1) })
    }

    /// Literals without indexing (RFC 7541 §6.2.2).
    package static func block(_ fields: [(String, String)]) -> [UInt8] {
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

    package static func head(_ stream: Int, _ fields: [(String, String)], ends: Bool = false) -> [UInt8] {
        frame(headers, flags: ends ? 5 : 4, stream: stream, block(fields))
    }

    package static func body(_ stream: Int, _ bytes: [UInt8], ends: Bool = true) -> [UInt8] {
        frame(data, flags: ends ? 1 : 0, stream: stream, bytes)
    }

    // MARK: Reading and answering

    /// The next frame, without SETTINGS and PING, which are answered here.
    package func read() async throws -> Frame {
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
    package func readRequest() async throws -> Int {
        while true {
            let frame = try await read()
            if frame.type == Self.headers { return frame.stream }
        }
    }

    /// The next frame of a type.
    package func read(_ type: UInt8) async throws -> Frame {
        while true {
            let frame = try await read()
            if frame.type == type { return frame }
        }
    }

    package func write(_ bytes: [UInt8]) async throws { try await connection.write(bytes) }

    /// Answers 200 with a text.
    package func respond(_ stream: Int, _ text: String = "ok") async throws {
        try await write(Self.head(stream, [(":status", "200")]) + Self.body(stream, Array(text.utf8)))
    }

    package func reset(_ stream: Int, _ code: Int) async throws {
        try await write(Self.frame(Self.rstStream, stream: stream, Self.number(code)))
    }

    package func goAway(last: Int) async throws {
        try await write(Self.frame(Self.goAway, Self.number(last) + Self.number(0)))
    }

    /// Answers each request until the client goes.
    package func serve(_ text: String = "ok") async throws {
        while true { try await respond(try await readRequest(), text) }
    }
}
