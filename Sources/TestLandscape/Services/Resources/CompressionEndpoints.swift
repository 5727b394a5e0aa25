import HTTPTypes
import HummingbirdCore
import NIOCore

/// `/gzip`, `/deflate`: encoded bodies, regardless of `Accept-Encoding`.
struct CompressionEndpoints: Service {
    private static let gzipHeader: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]

    func register(in table: inout EndpointTable) {
        table.add("gzip") { exchange in
            if exchange.segments.count > 2, exchange.segments[1] == "bomb",
                let count = exchange.segmentNumber(2, in: 0...(1 << 40))
            {
                return Self.bomb(count)
            }
            return Self.encoded(Self.gzip(Self.content(exchange)), as: "gzip")
        }
        table.add("deflate") { exchange in
            let content = Self.content(exchange)
            let bytes = exchange.parameter("raw") == nil ? Self.zlib(content) : Self.deflate(content)
            return Self.encoded(bytes, as: "deflate")
        }
    }

    /// `n` known bytes, or a line of text.
    private static func content(_ exchange: ServerExchange) -> [UInt8] {
        guard exchange.parameter("n") != nil else { return Array("hello, compressed world\n".utf8) }
        return BytePattern.bytes(count: exchange.number("n", default: 0, in: 0...(16 << 20)))
    }

    private static func encoded(_ bytes: [UInt8], as coding: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/octet-stream", .contentEncoding: coding],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private static func deflate(_ bytes: [UInt8]) -> [UInt8] {
        var encoder = DeflateEncoder()
        encoder.append(bytes)
        encoder.finish()
        return encoder.take()
    }

    static func gzip(_ bytes: [UInt8]) -> [UInt8] {
        var checksum = CRC32()
        checksum.update(bytes)
        return gzipHeader + deflate(bytes) + littleEndian(checksum.value)
            + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
    }

    static func zlib(_ bytes: [UInt8]) -> [UInt8] {
        var checksum = Adler32()
        checksum.update(bytes)
        return [0x78, 0x9C] + deflate(bytes) + littleEndian(checksum.value).reversed()
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Sends `count` zeros, compressed to about one byte for 150.
    private static func bomb(_ count: Int) -> Response {
        let body = ResponseBody { writer in
            try await writer.write(ByteBuffer(bytes: gzipHeader))
            var (encoder, checksum, left) = (DeflateEncoder(), CRC32(), count)
            while left > 0 {
                let step = min(left, 1 << 20)
                encoder.append(0, count: step)
                checksum.updateZeros(count: step)
                left -= step
                let bytes = encoder.take()
                if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
            }
            encoder.finish()
            let trailer = littleEndian(checksum.value) + littleEndian(UInt32(truncatingIfNeeded: count))
            try await writer.write(ByteBuffer(bytes: encoder.take() + trailer))
            try await writer.finish(nil)
        }
        return Response(
            status: .ok, headers: [.contentType: "application/octet-stream", .contentEncoding: "gzip"], body: body)
    }

    let contents = [
        ContentsEntry("/gzip?n=…, /deflate?n=…&raw", "encoded text, or n known bytes; raw: without the zlib wrapper"),
        ContentsEntry("/gzip/bomb/{n}", "n zeros in a small gzip"),
    ]
}
