import HttpConvFormats

/// An IP address, or a range of addresses with a common prefix: `10.0.0.0/8` (RFC 4632 §3.1, RFC 4291 §2.3).
package struct AddressRange: Hashable, Sendable {
    /// 4 or 16 bytes.
    package let address: [UInt8]
    /// The number of prefix bits.
    package let bits: Int

    /// Reads an address, or a range in CIDR notation; IPv6 with or without brackets. Without a number of bits, all of
    /// them count, as with curl.
    package init?(_ text: Substring) {
        let (literal, length) = text.cut(atASCII: "/") ?? (text, "")
        let isBracketed = literal.starts(withBytesOf: "[") && literal.ends(withBytesOf: "]")
        guard
            let address = HostName.bytes(
                ofIPLiteral: String(Substring(isBracketed ? literal.utf8.dropFirst().dropLast() : literal.utf8))),
            !isBracketed || address.count == 16
        else { return nil }
        let all = address.count * 8
        self.address = address
        if length.isEmpty {
            guard !text.contains(ascii: "/") else { return nil }
            bits = all
        } else {
            guard length.utf8.count <= 3, let given = PeerNumber.integer(length, in: 0...all) else { return nil }
            bits = given == 0 ? all : given
        }
    }

    /// The range in CIDR notation.
    package var description: String {
        let text =
            address.count == 4
            ? address.map { String($0) }.joined(separator: ".")
            : stride(from: 0, to: 16, by: 2).map { String(Int(address[$0]) << 8 | Int(address[$0 + 1]), radix: 16) }
                .joined(separator: ":")
        return "\(text)/\(bits)"
    }

    /// Whether an address, as from `HostName.bytes(ofIPLiteral:)`, is in the range.
    package func contains(_ other: [UInt8]) -> Bool {
        guard other.count == address.count else { return false }
        let (whole, rest) = bits.quotientAndRemainder(dividingBy: 8)
        guard other[..<whole] == address[..<whole] else { return false }
        return rest == 0 || (other[whole] ^ address[whole]) >> UInt8(8 - rest) == 0
    }
}
