internal import Foundation

/// Keys as text.
enum KeyText {
    static func bytes(of text: String) -> [UInt8]? {
        hexadecimal(text) ?? base64(text)
    }

    private static func hexadecimal(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    private static func base64(_ text: String) -> [UInt8]? {
        var text = text.replacing("-", with: "+").replacing("_", with: "/")
        while text.utf8.count % 4 != 0, !text.hasSuffix("==") { text.append("=") }
        return Data(base64Encoded: text).map { Array($0) }
    }
}
