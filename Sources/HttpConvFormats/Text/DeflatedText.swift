import CZlib

/// Reads the start of data that was compressed with DEFLATE (RFC 1951), such as a message in a URL or a page.
package enum DeflatedText {
    /// The first decompressed bytes, up to a limit or to the first error.
    ///
    /// - Parameters:
    ///   - bytes: the compressed bytes; any bytes are safe
    ///   - limit: the greatest number of bytes to return
    package static func start(of bytes: [UInt8], limit: Int) -> [UInt8] {
        // The largest window; negative: without a header.
        start(of: bytes, limit: limit, windowBits: -15)
    }

    /// The same for a body with the content coding gzip or deflate (RFC 9110 §8.4.1): it has the header of gzip, that of
    /// zlib, or none.
    package static func start(ofBody bytes: [UInt8], limit: Int) -> [UInt8] {
        guard bytes.count > 1 else { return [] }
        let isGzip = bytes[0] == 0x1F && bytes[1] == 0x8B
        let windowBits = isGzip ? 15 + 16 : windowBits(ofDeflate: bytes[0], bytes[1])
        return start(of: bytes, limit: limit, windowBits: windowBits)
    }

    /// The parameter of `inflateInit2` for the content coding deflate: zlib's format (RFC 1950 §2.2), or the bare deflate
    /// that some servers send.
    ///
    /// - Parameters:
    ///   - first: the first byte of the body
    ///   - second: the byte behind it
    package static func windowBits(ofDeflate first: UInt8, _ second: UInt8) -> Int32 {
        let header = UInt16(first) << 8 | UInt16(second)
        return header % 31 == 0 && first & 0x0F == 8 ? 15 : -15
    }

    private static func start(of bytes: [UInt8], limit: Int, windowBits: Int32) -> [UInt8] {
        var stream = z_stream()
        // zlib keeps the stream's address, so one pointer serves all calls.
        return withUnsafeMutablePointer(to: &stream) { stream in
            let size = Int32(MemoryLayout<z_stream>.size)
            guard inflateInit2_(stream, windowBits, ZLIB_VERSION, size) == Z_OK else { return [] }
            defer { inflateEnd(stream) }
            return expand(bytes, with: stream, limit: limit)
        }
    }

    private static func expand(
        _ bytes: [UInt8], with stream: UnsafeMutablePointer<z_stream>, limit: Int
    ) -> [UInt8] {
        guard limit > 0, let count = UInt32(exactly: bytes.count), let room = UInt32(exactly: limit) else { return [] }
        var bytes = bytes
        return [UInt8](unsafeUninitializedCapacity: limit) { output, written in
            bytes.withUnsafeMutableBufferPointer { input in
                stream.pointee.next_in = input.baseAddress
                stream.pointee.avail_in = count
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = room
                _ = inflate(stream, Z_SYNC_FLUSH)
            }
            written = limit - Int(stream.pointee.avail_out)
        }
    }
}
