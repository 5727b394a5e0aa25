/// Bytes as lower-case hexadecimal digits.
enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    static func text(_ bytes: some Sequence<UInt8>) -> String {
        var result: [UInt8] = []
        for byte in bytes { result += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: result, as: UTF8.self)
    }
}
