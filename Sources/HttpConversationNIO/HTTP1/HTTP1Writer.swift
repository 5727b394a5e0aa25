import NIOCore

/// Writes requests in the form of HTTP/1.1 (RFC 9112). Fields, method and target are free of line ends by their types.
enum HTTP1Writer {
    /// The request line and the header section (RFC 9112 §3, §5).
    static func head(_ head: RequestHead, _ allocator: ByteBufferAllocator) -> ByteBuffer {
        var count = head.method.rawValue.utf8.count + head.target.utf8.count + Self.signs
        for (name, value) in head.fields { count += name.utf8.count + value.utf8.count + Self.signsOfField }
        // Written in one call, because each write into a buffer checks and prepares it anew.
        var buffer = allocator.buffer(capacity: count)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { memory in
            var rest = UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
            write(head.method.rawValue, to: &rest)
            write(sign: " ", to: &rest)
            write(head.target, to: &rest)
            write(sign: " HTTP/1.1\r\n", to: &rest)
            for (name, value) in head.fields {
                write(name, to: &rest)
                write(sign: ": ", to: &rest)
                write(value, to: &rest)
                write(sign: "\r\n", to: &rest)
            }
            write(sign: "\r\n", to: &rest)
            return count - rest.count
        }
        return buffer
    }

    /// The number of bytes of a head that belong to no part of the request, and of each of its fields.
    private static let (signs, signsOfField) = ("  HTTP/1.1\r\n\r\n".utf8.count, ": \r\n".utf8.count)

    /// The line before a piece of a body in the chunked coding (RFC 9112 §7.1).
    static func chunkStart(_ count: Int, _ allocator: ByteBufferAllocator) -> ByteBuffer {
        allocator.buffer(string: "\(String(count, radix: 16))\r\n")
    }

    /// The line end after a piece.
    static func chunkEnd(_ allocator: ByteBufferAllocator) -> ByteBuffer { allocator.buffer(staticString: "\r\n") }

    /// The end of a body in the chunked coding, without trailers.
    static func lastChunk(_ allocator: ByteBufferAllocator) -> ByteBuffer {
        allocator.buffer(staticString: "0\r\n\r\n")
    }

    private static func write(_ text: String, to rest: inout UnsafeMutableRawBufferPointer) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0), to: &rest) }
    }

    /// Writes a text of the program, whose bytes are at a fixed place.
    private static func write(sign: StaticString, to rest: inout UnsafeMutableRawBufferPointer) {
        sign.withUTF8Buffer { write(UnsafeRawBufferPointer($0), to: &rest) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to rest: inout UnsafeMutableRawBufferPointer) {
        precondition(bytes.count <= rest.count, "The length of a request's head was wrong.")
        rest.copyMemory(from: bytes)
        rest = UnsafeMutableRawBufferPointer(rebasing: rest[bytes.count...])
    }
}
