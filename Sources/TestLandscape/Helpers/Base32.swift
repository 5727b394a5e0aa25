/// Base32 (RFC 4648, 6), the usual way to write TOTP secrets.
enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// Decodes text in any case, ignoring padding and spaces. Nil for any other character.
    static func decode(_ text: String) -> [UInt8]? {
        var (buffer, bits): (UInt32, Int) = (0, 0)
        var result: [UInt8] = []
        for byte in text.uppercased().utf8 where byte != UInt8(ascii: "=") && byte != UInt8(ascii: " ") {
            guard let value = alphabet.firstIndex(of: byte) else { return nil }
            buffer = (buffer << 5 | UInt32(value)) & 0xFFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                result.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        return result
    }
}
