import NIOCore

/// Reads a connection in the units of a protocol.
struct ByteReader {
    private var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private var buffer: [UInt8] = []

    init(_ iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator) { self.iterator = iterator }

    /// The unused bytes that were already read, or else the next ones; nil at the end.
    mutating func some() async throws -> [UInt8]? {
        guard buffer.isEmpty else {
            defer { buffer = [] }
            return buffer
        }
        return try await iterator.next().map { Array($0.readableBytesView) }
    }

    /// The first byte, without consuming it; nil at the end.
    mutating func peek() async throws -> UInt8? {
        while buffer.isEmpty { guard try await fill() else { return nil } }
        return buffer[0]
    }

    /// That many bytes; nil if the connection ends earlier.
    mutating func exactly(_ count: Int) async throws -> [UInt8]? {
        while buffer.count < count { guard try await fill() else { return nil } }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// All bytes up to and including a mark; nil if the connection ends earlier, or after 64 KiB without the mark.
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
