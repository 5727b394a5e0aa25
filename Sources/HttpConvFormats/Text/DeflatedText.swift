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
        let first = bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        let isZlib = bytes.count > 1 && first % 31 == 0 && first >> 8 & 0x0F == 8
        return start(of: bytes, limit: limit, windowBits: first == 0x1F8B ? 15 + 16 : isZlib ? 15 : -15)
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
