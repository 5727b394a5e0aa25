extension UInt8 {
    /// An ASCII letter.
    @inlinable package var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }

    /// An ASCII letter or digit.
    @inlinable package var isAlphanumeric: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }

    /// Whether it is white space between the tokens of JSON (RFC 8259 §2), and of other plain formats.
    @inlinable package var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }

    /// Whether it may be part of a token (RFC 9110 §5.6.2).
    @inlinable package var isTokenByte: Bool { isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }

    /// Whether it means the same in every part of a URL, encoded or not (RFC 3986 §2.3).
    @inlinable package var isUnreserved: Bool { isAlphanumeric || "-._~".utf8.contains(self) }
}
