/// Draws a code: its marks, then the data between them.
struct QRMatrix {
    private(set) var modules: [[Bool]]
    private var isReserved: [[Bool]]
    private let size: Int

    init(_ version: QRVersion, _ codewords: [UInt8], mask: QRMask) {
        size = version.size
        modules = Array(repeating: Array(repeating: false, count: size), count: size)
        isReserved = modules
        drawTiming()
        for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] { drawFinder(x, y) }
        drawAlignments(version.alignments)
        drawFormat(version.correction, mask)
        drawVersion(version.number)
        drawData(codewords, mask)
    }

    private mutating func mark(_ x: Int, _ y: Int, _ isDark: Bool) {
        guard (0..<size).contains(x), (0..<size).contains(y) else { return }
        modules[y][x] = isDark
        isReserved[y][x] = true
    }

    private mutating func drawTiming() {
        for index in 0..<size {
            mark(6, index, index % 2 == 0)
            mark(index, 6, index % 2 == 0)
        }
    }

    /// Draws a finder pattern with its light frame.
    private mutating func drawFinder(_ centreX: Int, _ centreY: Int) {
        for dy in -4...4 {
            for dx in -4...4 {
                let distance = max(abs(dx), abs(dy))
                mark(centreX + dx, centreY + dy, distance != 2 && distance != 4)
            }
        }
    }

    private mutating func drawAlignments(_ centres: [Int]) {
        for x in centres {
            // Three corners have finder patterns.
            for y in centres where (x, y) != (6, 6) && (x, y) != (6, size - 7) && (x, y) != (size - 7, 6) {
                for dy in -2...2 {
                    for dx in -2...2 { mark(x + dx, y + dy, max(abs(dx), abs(dy)) != 1) }
                }
            }
        }
    }

    /// Draws correction and mask with a BCH code, twice (7.9).
    private mutating func drawFormat(_ correction: QRCode.Correction, _ mask: QRMask) {
        let data = (correction == .low ? 1 : 0) << 3 | mask.number
        var remainder = data
        for _ in 0..<10 { remainder = remainder << 1 ^ (remainder >> 9) * 0x537 }
        let bits = (data << 10 | remainder) ^ 0x5412
        for index in 0..<15 {
            let isDark = bits >> index & 1 == 1
            switch index {
            case 0...5: mark(8, index, isDark)
            case 6, 7: mark(8, index + 1, isDark)
            case 8: mark(7, 8, isDark)
            default: mark(14 - index, 8, isDark)
            }
            if index < 8 { mark(size - 1 - index, 8, isDark) } else { mark(8, size - 15 + index, isDark) }
        }
        mark(8, size - 8, true)
    }

    /// Draws the version with a BCH code, twice (7.10). Only versions from 7 on have it.
    private mutating func drawVersion(_ number: Int) {
        guard number >= 7 else { return }
        var remainder = number
        for _ in 0..<12 { remainder = remainder << 1 ^ (remainder >> 11) * 0x1F25 }
        let bits = number << 12 | remainder
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            let (far, near) = (size - 11 + index % 3, index / 3)
            mark(far, near, isDark)
            mark(near, far, isDark)
        }
    }

    /// Draws the data in columns of two from the right, alternately up and down. It skips the vertical timing pattern
    /// (7.7.3).
    private mutating func drawData(_ codewords: [UInt8], _ mask: QRMask) {
        var index = 0
        for column in stride(from: size - 1, through: 1, by: -2) {
            let right = column <= 6 ? column - 1 : column
            for step in 0..<size {
                let y = (right + 1) & 2 == 0 ? size - 1 - step : step
                for x in [right, right - 1] where !isReserved[y][x] {
                    // The remaining modules are light before masking.
                    let isSet = index < codewords.count * 8 && codewords[index / 8] >> (7 - index % 8) & 1 == 1
                    modules[y][x] = isSet != mask.inverts(x, y)
                    index += 1
                }
            }
        }
    }
}

/// One of the eight masks. A mask inverts data modules, so that no area looks like a pattern (ISO/IEC 18004, 7.8.2).
struct QRMask: Sendable {
    let number: Int

    static let all = (0..<8).map { QRMask(number: $0) }

    /// Whether a module changes its colour.
    func inverts(_ x: Int, _ y: Int) -> Bool {
        switch number {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }
}
