/// Lower-case hexadecimal.
enum Hex {
    private static let alphabet = Array("0123456789abcdef")

    static func digits(_ byte: UInt8) -> String {
        String([alphabet[Int(byte >> 4)], alphabet[Int(byte & 15)]])
    }

    static func string(_ bytes: some Sequence<UInt8>) -> String {
        String(bytes.flatMap { [alphabet[Int($0 >> 4)], alphabet[Int($0 & 15)]] })
    }
}
