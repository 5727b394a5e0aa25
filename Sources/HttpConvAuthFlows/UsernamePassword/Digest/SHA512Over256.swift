/// SHA-512/256 (FIPS 180-4 §6.7): SHA-512 with initial values of its own, cut to 256 bits. swift-crypto lacks it.
struct SHA512Over256 {
    private var state: [UInt64] = Self.initial
    private var buffer: [UInt8] = []
    private var length: UInt64 = 0
    private static let blockSize = 128

    /// Takes more of the message.
    mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            buffer.append(byte)
            length += 1
            if buffer.count == Self.blockSize {
                compress(buffer)
                buffer.removeAll(keepingCapacity: true)
            }
        }
    }

    /// The 32 bytes of the digest of what was taken.
    func finalized() -> [UInt8] {
        var copy = self
        let bits = length * 8
        let used = copy.buffer.count + 1
        let zeros = (Self.blockSize + Self.blockSize - 16 - used) % Self.blockSize
        // The length field is 128 bits wide; no message here comes near 2^64 bits.
        let padding = [0x80] + [UInt8](repeating: 0, count: zeros + 8) + Self.bigEndian(bits)
        copy.update(padding)
        return Array(copy.state.flatMap(Self.bigEndian).prefix(32))
    }

    private static func bigEndian(_ word: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
    }

    private mutating func compress(_ block: [UInt8]) {
        var schedule = [UInt64](repeating: 0, count: 80)
        for index in 0..<16 {
            schedule[index] = block[(index * 8)..<(index * 8 + 8)].reduce(0) { $0 << 8 | UInt64($1) }
        }
        for index in 16..<80 {
            let (early, late) = (schedule[index - 15], schedule[index - 2])
            let small0 = Self.rotate(early, 1) ^ Self.rotate(early, 8) ^ (early >> 7)
            let small1 = Self.rotate(late, 19) ^ Self.rotate(late, 61) ^ (late >> 6)
            schedule[index] = schedule[index - 16] &+ small0 &+ schedule[index - 7] &+ small1
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<80 {
            let big1 = Self.rotate(e, 14) ^ Self.rotate(e, 18) ^ Self.rotate(e, 41)
            let first = h &+ big1 &+ ((e & f) ^ (~e & g)) &+ Self.constants[index] &+ schedule[index]
            let big0 = Self.rotate(a, 28) ^ Self.rotate(a, 34) ^ Self.rotate(a, 39)
            let second = big0 &+ ((a & b) ^ (a & c) ^ (b & c))
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private static func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 { word >> count | word << (64 - count) }

    /// FIPS 180-4 §5.3.6.2.
    private static let initial: [UInt64] = [
        0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd,
        0x96283ee2a88effe3, 0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2,
    ]

    /// FIPS 180-4 §4.2.3: the first 64 bits of the fractional parts of the cube roots of the first eighty primes.
    private static let constants: [UInt64] = [
        0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
        0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
        0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
        0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
        0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
        0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
        0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
        0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
        0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
        0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
        0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
        0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
        0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
        0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
        0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
        0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
        0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
        0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
        0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
        0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
    ]
}
