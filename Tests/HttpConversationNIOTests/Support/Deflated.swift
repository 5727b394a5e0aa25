import CNIOExtrasZlib

/// Samples made with another implementation of zlib.
enum Deflated {
    static let text = String(repeating: "hello ", count: 40)

    static let gzip: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 87, 200, 24, 49, 36, 0, 158, 80, 148, 125,
        240, 0, 0, 0,
    ]

    static let zlib: [UInt8] = [
        120, 218, 203, 72, 205, 201, 201, 87, 200, 24, 49, 36, 0, 152, 47, 88, 33,
    ]

    static let raw: [UInt8] = [
        203, 72, 205, 201, 201, 87, 200, 24, 49, 36, 0,
    ]

    /// So many zero bytes as gzip: a small bomb, made on the spot.
    static func zeros(_ count: Int) -> [UInt8] { gzip([UInt8](repeating: 0, count: count)) }

    /// Bytes as gzip.
    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        var stream = cnioextras_z_stream()
        guard CNIOExtrasZlib_deflateInit2(&stream, 9, 8, 15 + 16, 8, 0) == 0 else { return [] }
        defer { cnioextras_z_deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 500 + 1000)
        let capacity = output.count
        let written = input.withUnsafeMutableBytes { source in
            output.withUnsafeMutableBytes { target in
                stream.next_in = CNIOExtrasZlib_voidPtr_to_BytefPtr(source.baseAddress)
                stream.avail_in = UInt32(source.count)
                stream.next_out = CNIOExtrasZlib_voidPtr_to_BytefPtr(target.baseAddress)
                stream.avail_out = UInt32(capacity)
                _ = cnioextras_z_deflate(&stream, 4)
                return capacity - Int(stream.avail_out)
            }
        }
        return Array(output[..<written])
    }
}
