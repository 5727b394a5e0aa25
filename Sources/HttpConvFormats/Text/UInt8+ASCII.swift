extension UInt8 {
    /// An ASCII letter.
    @inlinable package var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }

    /// An ASCII capital.
    @inlinable package var isASCIICapital: Bool { (0x41...0x5A).contains(self) }

    /// An ASCII digit.
    @inlinable package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    /// An ASCII letter or digit.
    @inlinable package var isAlphanumeric: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }

    /// Whether it is white space between the tokens of JSON (RFC 8259 §2), and of other plain formats.
    @inlinable @inline(__always) package var isBlank: Bool {
        self <= 0x20 && (self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09)
    }

    /// Whether it is white space within a line (RFC 9110 §5.6.3).
    @inlinable package var isSpaceOrTab: Bool { self == 0x20 || self == 0x09 }

    /// Whether it is white space of HTML (WHATWG Infra §4.6), which has no vertical tab.
    @inlinable package var isHTMLSpace: Bool { isASCIISpace && self != 0x0B }

    /// Whether it is white space of ASCII: a space, a tab, a line end, a form feed or a vertical tab.
    @inlinable package var isASCIISpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    /// Whether it may be part of a token (RFC 9110 §5.6.2).
    @inlinable package var isTokenByte: Bool { isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }

    /// Whether it means the same in every part of a URL, encoded or not (RFC 3986 §2.3).
    @inlinable package var isUnreserved: Bool { isAlphanumeric || "-._~".utf8.contains(self) }

    /// Whether it may be part of a URL's scheme, after its first letter (RFC 3986 §3.1).
    @inlinable package var isSchemeByte: Bool { isAlphanumeric || "+-.".utf8.contains(self) }

    /// The value of a hexadecimal digit; nil for other bytes.
    @inlinable package var hexDigit: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }

    /// The byte in lower case if it is an ASCII capital.
    @inlinable package var asciiLowercased: UInt8 { isASCIICapital ? self | 0x20 : self }
}
