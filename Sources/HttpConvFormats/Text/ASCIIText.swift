/// Reads and escapes protocol text by its bytes (security rule S6).
///
/// Delimiters are ASCII bytes on the wire. Swift's `Character` differs: a combining mark fuses with the quote or
/// separator before it, CR LF is one character, U+037E equals a semicolon, and `isNewline` or `isNumber` accept more
/// than ASCII.
extension StringProtocol where SubSequence == Substring, UTF8View: BidirectionalCollection {
    /// The first position of an ASCII byte.
    @inlinable package func firstIndex(ofASCII byte: Unicode.Scalar) -> Index? {
        utf8.firstIndex(of: UInt8(ascii: byte))
    }

    /// The last position of an ASCII byte.
    @inlinable package func lastIndex(ofASCII byte: Unicode.Scalar) -> Index? { utf8.lastIndex(of: UInt8(ascii: byte)) }

    /// Whether an ASCII byte occurs.
    @inlinable package func contains(ascii byte: Unicode.Scalar) -> Bool { utf8.contains(UInt8(ascii: byte)) }

    /// Whether exactly these bytes occur.
    @inlinable package func contains(bytesOf other: String) -> Bool { utf8.contains(other.utf8) }

    /// Whether the text starts with exactly these bytes.
    @inlinable package func starts(withBytesOf prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Whether the text has U+FFFD, which replaces bytes of a header field that are not UTF-8. The server's text is
    /// lost then, so it must not be sent back or followed.
    @inlinable package var hasLostBytes: Bool { utf8.contains(0xEF) && unicodeScalars.contains("\u{FFFD}") }

    /// Whether the text starts with these letters, in either ASCII case.
    ///
    /// - Parameter prefix: in lower case
    @inlinable package func starts(withASCIILetters prefix: String) -> Bool {
        utf8.starts(with: prefix.utf8) { $0.asciiLowercased == $1 }
    }

    /// Whether the text ends with exactly these bytes.
    @inlinable package func ends(withBytesOf suffix: String) -> Bool {
        utf8.reversed().starts(with: suffix.utf8.reversed())
    }

    /// The text up to the first of some ASCII bytes, or all of it.
    @inlinable package func prefix(upToASCII bytes: String) -> Substring {
        let end = utf8.firstIndex { bytes.utf8.contains($0) } ?? endIndex
        return self[..<end]
    }

    /// The pieces between occurrences of an ASCII byte.
    @inlinable package func split(ascii byte: Unicode.Scalar, keepsEmpty: Bool = false) -> [Substring] {
        var pieces: [Substring] = []
        var start = startIndex
        while let end = self[start...].firstIndex(ofASCII: byte) {
            if keepsEmpty || start < end { pieces.append(self[start..<end]) }
            start = utf8.index(after: end)
        }
        if keepsEmpty || start < endIndex { pieces.append(self[start...]) }
        return pieces
    }

    /// The parts before and after the first occurrence of an ASCII byte; nil if there is none.
    @inlinable package func cut(atASCII byte: Unicode.Scalar) -> (before: Substring, after: Substring)? {
        guard let index = firstIndex(ofASCII: byte) else { return nil }
        return (self[..<index], self[utf8.index(after: index)...])
    }

    /// The text without spaces and tabs at both ends (OWS, RFC 9110 §5.6.3).
    @inlinable package var trimmingSpaces: Substring { trimming { $0.isSpaceOrTab } }

    /// The text without white space and control characters of ASCII at both ends, as people and files leave them.
    @inlinable package var trimmingBlanks: Substring { trimming { $0 <= 0x20 } }

    @inlinable func trimming(_ isLeftOut: (UInt8) -> Bool) -> Substring {
        guard let start = utf8.firstIndex(where: { !isLeftOut($0) }),
            let last = utf8.lastIndex(where: { !isLeftOut($0) })
        else { return self[endIndex...] }
        return self[start..<utf8.index(after: last)]
    }

    /// The text with ASCII capitals in lower case, otherwise unchanged.
    @inlinable package var asciiLowercased: String { String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self) }

    /// The text with some ASCII bytes replaced.
    @inlinable package func replacing(ascii replacements: KeyValuePairs<Unicode.Scalar, String>) -> String {
        guard replacements.contains(where: { utf8.contains(UInt8(ascii: $0.key)) }) else { return String(self) }
        var result: [UInt8] = []
        for byte in utf8 {
            if let replacement = replacements.first(where: { UInt8(ascii: $0.key) == byte })?.value {
                result += replacement.utf8
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The percent-decoded bytes; anything else stays unchanged (RFC 3986 §2.1).
    @inlinable package var percentDecoded: [UInt8] { utf8.percentDecoded }

    /// The percent-decoded text; nil if two digits do not follow each percent sign, or if the bytes are not UTF-8.
    package var percentDecodedText: String? {
        let escapes = utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst()
        let areWhole = escapes.allSatisfy { $0.count > 1 && $0.prefix(2).allSatisfy { $0.hexDigit != nil } }
        return areWhole ? String(validating: percentDecoded, as: UTF8.self) : nil
    }

    /// Whether all bytes are visible ASCII (0x21 to 0x7E); true for an empty text.
    package var isVisibleASCII: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }

    /// Whether all bytes are visible ASCII or spaces (0x20 to 0x7E); true for an empty text.
    package var isPrintableASCII: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }

    /// Whether the text is `1*NQCHAR` (RFC 6749 appendix A): visible ASCII without quotes and backslashes, not empty.
    /// Scopes and nonces of OAuth2 are such texts (RFC 6749 §3.3, RFC 9449 §8.1).
    package var isNQChars: Bool { !isEmpty && isVisibleASCII && !contains(ascii: "\"") && !contains(ascii: "\\") }

    /// Whether the text has a control character or a line separator: C0, DEL, C1 (including U+0085), U+2028, U+2029.
    @inlinable package var hasControls: Bool { hasControls(besides: nil) }

    /// The same without tabs, which a cookie may have (RFC 6265bis §5.6).
    @inlinable package var hasControlsBesidesTab: Bool { hasControls(besides: 0x09) }

    @usableFromInline func hasControls(besides allowed: UInt8?) -> Bool {
        var before: (UInt8, UInt8) = (0, 0)
        for byte in utf8 {
            if byte < 0x20 || byte == 0x7F, byte != allowed { return true }
            if before.1 == 0xC2, (0x80...0x9F).contains(byte) { return true }
            if before == (0xE2, 0x80), byte == 0xA8 || byte == 0xA9 { return true }
            before = (before.1, byte)
        }
        return false
    }
}

extension Sequence<UInt8> {
    /// The percent-decoded bytes; anything else stays unchanged (RFC 3986 §2.1).
    @inlinable package var percentDecoded: [UInt8] {
        var result: [UInt8] = []
        var rest = Array(self)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first?.hexDigit, let low = rest.dropFirst().first?.hexDigit {
                result.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }
}

extension StringProtocol {
    /// Whether both texts have the same bytes. Swift counts other bytes as equal, too: `é`, and `e` with a combining
    /// accent. Peers and storages do not.
    @inlinable package func hasSameBytes(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}
