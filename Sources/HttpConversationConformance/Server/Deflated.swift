import CZlib

/// Samples made with another implementation of zlib.
package enum Deflated {
    package static let text = String(repeating: "hello ", count: 40)

    package static let gzip: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 87, 200, 24, 49, 36, 0, 158, 80, 148, 125,
        240, 0, 0, 0,
    ]

    package static let zlib: [UInt8] = [
        120, 218, 203, 72, 205, 201, 201, 87, 200, 24, 49, 36, 0, 152, 47, 88, 33,
    ]

    package static let raw: [UInt8] = [
        203, 72, 205, 201, 201, 87, 200, 24, 49, 36, 0,
    ]

    /// That many zero bytes as gzip: a small decompression bomb.
    package static func zeros(_ count: Int) -> [UInt8] { gzip([UInt8](repeating: 0, count: count)) }

    /// Bytes as gzip.
    package static func gzip(_ bytes: [UInt8]) -> [UInt8] { deflated(bytes, windowBits: 15 + 16) }

    /// Bytes as zlib's format.
    package static func zlib(_ bytes: [UInt8]) -> [UInt8] { deflated(bytes, windowBits: 15) }

    /// Bytes as bare deflate.
    package static func raw(_ bytes: [UInt8]) -> [UInt8] { deflated(bytes, windowBits: -15) }

    private static func deflated(_ bytes: [UInt8], windowBits: Int32) -> [UInt8] {
        var stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        let result = deflateInit2_(&stream, 9, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        guard result == Z_OK else { return [] }
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 500 + 1000)
        let capacity = output.count
        let written = input.withUnsafeMutableBytes { source in
            output.withUnsafeMutableBytes { target in
                stream.next_in = source.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.avail_out = UInt32(capacity)
                _ = deflate(&stream, Z_FINISH)
                return capacity - Int(stream.avail_out)
            }
        }
        return Array(output[..<written])
    }
}
