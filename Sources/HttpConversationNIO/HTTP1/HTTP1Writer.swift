import NIOCore

/// Writes requests in the form of HTTP/1.1 (RFC 9112). Fields, method and target are free of line ends by their types.
enum HTTP1Writer {
    /// The request line and the header section (RFC 9112 §3, §5).
    static func head(_ head: RequestHead, _ allocator: ByteBufferAllocator) -> ByteBuffer {
        // One array, whose bytes are copied once: each write into a buffer checks and prepares it anew.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        bytes.append(contentsOf: head.method.rawValue.utf8)
        bytes.append(0x20)
        bytes.append(contentsOf: head.target.utf8)
        append(" HTTP/1.1\r\n", to: &bytes)
        for (name, value) in head.fields {
            bytes.append(contentsOf: name.utf8)
            append(": ", to: &bytes)
            bytes.append(contentsOf: value.utf8)
            append("\r\n", to: &bytes)
        }
        append("\r\n", to: &bytes)
        return allocator.buffer(bytes: bytes)
    }

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

    private static func append(_ text: StaticString, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }
}
