/// A small DEFLATE decompressor (RFC 1951) with a limit.
///
/// Written here because the landscape shares no code with the library's decompression.
struct DeflateDecoder {
    private struct Code {
        /// The number of codes of each length.
        var counts = [Int](repeating: 0, count: 16)
        /// The symbols, ordered by their codes.
        var symbols: [Int] = []

        init(lengths: some Collection<Int>) {
            for length in lengths where length > 0 { counts[length] += 1 }
            symbols = lengths.enumerated().filter { $0.element > 0 }
                .sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }.map(\.offset)
        }
    }

    private static let codeOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    private static let fixedLengths = Code(
        lengths: (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })
    private static let fixedDistances = Code(lengths: [Int](repeating: 5, count: 30))

    private let input: [UInt8]
    private let limit: Int
    private var position = 0
    private var output: [UInt8] = []

    /// The decompressed bytes; nil if they are malformed or more than `limit`.
    static func decode(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
        var decoder = DeflateDecoder(input: bytes, limit: limit)
        return decoder.run() ? decoder.output : nil
    }

    private init(input: [UInt8], limit: Int) {
        (self.input, self.limit) = (input, limit)
    }

    private mutating func run() -> Bool {
        while true {
            guard let isLast = bits(1), let type = bits(2) else { return false }
            let isGood =
                switch type {
                case 0: stored()
                case 1: block(Self.fixedLengths, Self.fixedDistances)
                case 2: dynamic()
                default: false
                }
            guard isGood else { return false }
            if isLast == 1 { return true }
        }
    }

    private mutating func stored() -> Bool {
        position = (position + 7) / 8 * 8
        guard let length = bits(16), let check = bits(16), length ^ check == 0xFFFF else { return false }
        for _ in 0..<length {
            guard let byte = bits(8), append(UInt8(byte)) else { return false }
        }
        return true
    }

    private mutating func dynamic() -> Bool {
        guard let literals = bits(5), let distances = bits(5), let codes = bits(4) else { return false }
        var lengths = [Int](repeating: 0, count: 19)
        for index in 0..<(codes + 4) {
            guard let length = bits(3) else { return false }
            lengths[Self.codeOrder[index]] = length
        }
        let code = Code(lengths: lengths)
        let wanted = literals + 257 + distances + 1
        lengths = []
        while lengths.count < wanted {
            guard let symbol = symbol(code) else { return false }
            guard symbol > 15 else {
                lengths.append(symbol)
                continue
            }
            guard let extra = bits(symbol == 16 ? 2 : symbol == 17 ? 3 : 7) else { return false }
            if symbol == 16, lengths.isEmpty { return false }
            let repeated = symbol == 16 ? lengths[lengths.count - 1] : 0
            lengths += [Int](repeating: repeated, count: extra + (symbol == 18 ? 11 : 3))
        }
        guard lengths.count == wanted else { return false }
        return block(Code(lengths: lengths[..<(literals + 257)]), Code(lengths: Array(lengths[(literals + 257)...])))
    }

    private mutating func block(_ literals: Code, _ distances: Code) -> Bool {
        while let symbol = symbol(literals) {
            if symbol < 256 {
                guard append(UInt8(symbol)) else { return false }
                continue
            }
            if symbol == 256 { return true }
            guard let length = length(symbol), let distance = distance(distances), distance <= output.count
            else { return false }
            for _ in 0..<length {
                guard append(output[output.count - distance]) else { return false }
            }
        }
        return false
    }

    private mutating func length(_ symbol: Int) -> Int? {
        if symbol == 285 { return 258 }
        guard symbol < 285 else { return nil }
        let extra = symbol < 265 ? 0 : (symbol - 261) / 4
        guard let more = bits(extra) else { return nil }
        return (symbol < 265 ? symbol - 254 : 3 + ((4 + (symbol - 265) % 4) << extra)) + more
    }

    private mutating func distance(_ code: Code) -> Int? {
        guard let symbol = symbol(code), symbol < 30 else { return nil }
        let extra = symbol < 4 ? 0 : symbol / 2 - 1
        guard let more = bits(extra) else { return nil }
        return (symbol < 4 ? symbol + 1 : 1 + ((2 + symbol % 2) << extra)) + more
    }

    private mutating func append(_ byte: UInt8) -> Bool {
        guard output.count < limit else { return false }
        output.append(byte)
        return true
    }

    /// Reads a symbol. Huffman codes begin with the most significant bit.
    private mutating func symbol(_ code: Code) -> Int? {
        var (value, first, index) = (0, 0, 0)
        for length in 1..<16 {
            guard let bit = bits(1) else { return nil }
            value |= bit
            let count = code.counts[length]
            if value - count < first { return code.symbols[index + value - first] }
            index += count
            first = (first + count) << 1
            value <<= 1
        }
        return nil
    }

    private mutating func bits(_ count: Int) -> Int? {
        guard position + count <= input.count * 8 else { return nil }
        var value = 0
        for offset in 0..<count {
            let bit = Int(input[(position + offset) / 8] >> UInt8((position + offset) % 8) & 1)
            value |= bit << offset
        }
        position += count
        return value
    }
}
