/// A version of QR codes, which is a size with its amounts of data and correction (ISO/IEC 18004, tables 1, 9 and E.1).
struct QRVersion: Sendable {
    /// The number of the version, 1 to 10.
    let number: Int
    let correction: QRCode.Correction

    static let numbers = 1...10
    private static let totals = [26, 44, 70, 100, 134, 172, 196, 242, 292, 346]
    private static let lowLengths = [7, 10, 15, 20, 26, 18, 20, 24, 30, 18]
    private static let lowBlocks = [1, 1, 1, 1, 1, 2, 2, 2, 2, 4]
    private static let mediumLengths = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26]
    private static let mediumBlocks = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5]

    /// The number of modules on each side.
    var size: Int { 17 + 4 * number }
    /// The number of codewords for data and correction together.
    var totalCodewords: Int { Self.totals[number - 1] }
    /// The number of correction codewords of each block.
    var correctionLength: Int { (correction == .low ? Self.lowLengths : Self.mediumLengths)[number - 1] }
    var blocks: Int { (correction == .low ? Self.lowBlocks : Self.mediumBlocks)[number - 1] }
    var dataCodewords: Int { totalCodewords - correctionLength * blocks }
    /// The number of bits of the length field.
    var countBits: Int { number < 10 ? 8 : 16 }
    /// The maximum bytes of text.
    var capacity: Int { (dataCodewords * 8 - 4 - countBits) / 8 }
    /// The centres of the alignment patterns, in both directions.
    var alignments: [Int] {
        guard number > 1 else { return [] }
        return number < 7 ? [6, size - 7] : [6, size / 2, size - 7]
    }

    static func smallest(for count: Int, _ correction: QRCode.Correction) -> QRVersion? {
        numbers.lazy.map { QRVersion(number: $0, correction: correction) }.first { $0.capacity >= count }
    }
}
