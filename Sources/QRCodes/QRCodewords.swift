/// The bytes of a code in the order in which they are drawn: data blocks interleaved, then their corrections.
enum QRCodewords {
    static func make(_ bytes: [UInt8], _ version: QRVersion) -> [UInt8] {
        let data = data(bytes, version)
        let generator = ReedSolomon(degree: version.correctionLength)
        // The first blocks are one byte shorter than the last ones.
        let shortLength = version.dataCodewords / version.blocks
        let longBlocks = version.dataCodewords % version.blocks
        var blocks: [ArraySlice<UInt8>] = []
        var rest = data[...]
        for index in 0..<version.blocks {
            let length = shortLength + (index < version.blocks - longBlocks ? 0 : 1)
            blocks.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return interleaved(blocks) + interleaved(blocks.map { generator.remainder(of: $0)[...] })
    }

    /// The data codewords: mode, length, text and padding (7.4.5 and 7.4.10).
    static func data(_ bytes: [UInt8], _ version: QRVersion) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for index in (0..<count).reversed() { bits.append(value >> index & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, version.countBits)
        for byte in bytes { append(Int(byte), 8) }
        let capacity = version.dataCodewords * 8
        append(0, min(4, capacity - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var result = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        for index in 0..<(version.dataCodewords - result.count) { result.append(index % 2 == 0 ? 0xEC : 0x11) }
        return result
    }

    private static func interleaved(_ blocks: [ArraySlice<UInt8>]) -> [UInt8] {
        (0..<(blocks.map(\.count).max() ?? 0)).flatMap { index in
            blocks.compactMap { $0.dropFirst(index).first }
        }
    }
}
