/// Error correction over GF(256) modulo x⁸+x⁴+x³+x²+1 (ISO/IEC 18004, 7.5).
struct ReedSolomon: Sendable {
    /// The generator polynomial's coefficients from the highest power down, without the leading one.
    private let divisor: [UInt8]

    /// - Parameter degree: the number of correction codewords
    init(degree: Int) {
        var divisor = [UInt8](repeating: 0, count: degree)
        divisor[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in 0..<degree {
                divisor[index] = Self.product(divisor[index], root)
                if index + 1 < degree { divisor[index] ^= divisor[index + 1] }
            }
            root = Self.product(root, 2)
        }
        self.divisor = divisor
    }

    /// The correction codewords of a block.
    func remainder(of data: some Sequence<UInt8>) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: divisor.count)
        for byte in data {
            let factor = byte ^ result.removeFirst()
            result.append(0)
            for index in divisor.indices { result[index] ^= Self.product(divisor[index], factor) }
        }
        return result
    }

    static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var result: UInt8 = 0
        for index in (0..<8).reversed() {
            let overflow = result >> 7
            result = result << 1 ^ overflow &* 0x1D
            if right >> index & 1 == 1 { result ^= left }
        }
        return result
    }
}
