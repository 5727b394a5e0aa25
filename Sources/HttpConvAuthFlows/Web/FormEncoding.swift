/// `application/x-www-form-urlencoded` (RFC 6749 appendix B).
package enum FormEncoding {
    /// A name and its value.
    typealias Parameter = (name: String, value: String)

    static func encode(_ parameters: [Parameter]) -> String {
        parameters.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }

    /// Letters, digits and `*-._` stay, a space becomes `+`, the rest is percent-encoded as UTF-8.
    static func encode(_ text: String) -> String { encode(text.utf8) }

    /// The same for text in any charset.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in bytes {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2A, 0x2D, 0x2E, 0x5F: result.append(byte)
            case 0x20: result.append(UInt8(ascii: "+"))
            default: result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The parameters of a query, in order, repeated ones included.
    static func decode(_ text: some StringProtocol) -> [Parameter] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
        }
    }

    /// The parameters of a URL's query, whatever its scheme.
    static func query(of url: String) -> [Parameter] {
        let plain = url.prefix { $0 != "#" }
        guard let mark = plain.firstIndex(of: "?") else { return [] }
        return decode(plain[plain.index(after: mark)...])
    }

    private static func decoded(_ text: some StringProtocol) -> String {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                result.append(0x20)
            } else if byte == UInt8(ascii: "%"), let high = hex(rest.first), let low = hex(rest.dropFirst().first) {
                result.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func hex(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case .some(let digit) where (0x30...0x39).contains(digit): digit - 0x30
        case .some(let letter) where (0x41...0x46).contains(letter): letter - 0x41 + 10
        case .some(let letter) where (0x61...0x66).contains(letter): letter - 0x61 + 10
        default: nil
        }
    }
}
