/// A small DEFLATE compressor (RFC 1951): one block of fixed codes, in which runs of equal bytes become matches.
///
/// Written here because the landscape shares no code with the library's decompression.
struct DeflateEncoder: Sendable {
    private var bits: UInt64 = 0
    private var bitCount = 0
    private var output: [UInt8] = []
    private var run: (byte: UInt8, length: Int)?

    init() {
        put(0b011, count: 3)
    }

    /// Compresses more bytes.
    mutating func append(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { append(byte, count: 1) }
    }

    /// Compresses `count` equal bytes.
    mutating func append(_ byte: UInt8, count: Int) {
        guard count > 0 else { return }
        if let current = run, current.byte == byte {
            run = (byte, current.length + count)
        } else {
            flushRun()
            run = (byte, count)
        }
        // A long run is written at once. Otherwise a stream of equal bytes, one at a time, would be written only at its
        // end.
        if let current = run, current.length > 1 << 16 { flushRun() }
    }

    /// The compressed bytes since the last call.
    mutating func take() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// Ends the block and fills up the last byte.
    mutating func finish() {
        flushRun()
        putCode(0, count: 7)
        if bitCount > 0 { put(0, count: 8 - bitCount) }
    }

    private mutating func flushRun() {
        guard let (byte, length) = run else { return }
        run = nil
        putLiteral(byte)
        var left = length - 1
        while left >= 3 {
            // A match has at most 258 bytes. A rest of one or two bytes is written as literals.
            let match = left >= 258 ? 258 : left
            putMatch(length: match)
            left -= match
        }
        for _ in 0..<left { putLiteral(byte) }
    }

    private mutating func putLiteral(_ byte: UInt8) {
        if byte < 144 { putCode(0x30 + UInt32(byte), count: 8) } else { putCode(0x190 + UInt32(byte) - 144, count: 9) }
    }

    /// A match of that length at distance 1.
    private mutating func putMatch(length: Int) {
        if length == 258 {
            putCode(0xC5, count: 8)
        } else {
            var (code, base, extra) = (257, 3, 0)
            // After the first eight, codes come in groups of four. Each group has one more extra bit.
            while length >= base + (1 << extra) {
                base += 1 << extra
                code += 1
                extra = code < 265 ? 0 : (code - 261) / 4
            }
            if code < 280 {
                putCode(UInt32(code - 256), count: 7)
            } else {
                putCode(UInt32(0xC0 + code - 280), count: 8)
            }
            put(UInt64(length - base), count: extra)
        }
        putCode(0, count: 5)
    }

    /// Writes a code. Huffman codes begin with the most significant bit.
    private mutating func putCode(_ code: UInt32, count: Int) {
        for shift in (0..<count).reversed() { put(UInt64(code >> UInt32(shift) & 1), count: 1) }
    }

    private mutating func put(_ value: UInt64, count: Int) {
        bits |= value << UInt64(bitCount)
        bitCount += count
        while bitCount >= 8 {
            output.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            bitCount -= 8
        }
    }
}
