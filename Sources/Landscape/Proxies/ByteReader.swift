import NIOCore

/// Reads the bytes of a connection in the pieces that a protocol has.
struct ByteReader {
    private var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private var buffer: [UInt8] = []

    init(_ iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator) { self.iterator = iterator }

    /// What has been read and not been used, else what comes next; nil at the end.
    mutating func some() async throws -> [UInt8]? {
        guard buffer.isEmpty else {
            defer { buffer = [] }
            return buffer
        }
        return try await iterator.next().map { Array($0.readableBytesView) }
    }

    /// The first byte, which stays; nil at the end.
    mutating func peek() async throws -> UInt8? {
        while buffer.isEmpty { guard try await fill() else { return nil } }
        return buffer[0]
    }

    /// That many bytes; nil where the connection ends before.
    mutating func exactly(_ count: Int) async throws -> [UInt8]? {
        while buffer.count < count { guard try await fill() else { return nil } }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// Everything up to and with a mark; nil where the connection ends before or more than 64 KiB come without.
    mutating func upTo(_ mark: String) async throws -> [UInt8]? {
        let mark = Array(mark.utf8)
        while true {
            if let range = buffer.firstRange(of: mark) {
                defer { buffer.removeFirst(range.upperBound) }
                return Array(buffer[..<range.upperBound])
            }
            guard buffer.count < 1 << 16, try await fill() else { return nil }
        }
    }

    private mutating func fill() async throws -> Bool {
        guard let more = try await iterator.next() else { return false }
        buffer += more.readableBytesView
        return true
    }
}
