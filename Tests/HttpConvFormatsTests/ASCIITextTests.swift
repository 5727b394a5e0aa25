import HttpConvFormats
import Testing

@Suite struct ASCIITextTests {
    @Test(arguments: [
        ("", "" as String?), ("a", "a"), ("a%20b", "a b"), ("%C3%a4", "ä"), ("%2525", "%25"), ("%", nil), ("a%2", nil),
        ("%zz", nil), ("a%20b%", nil), ("%FF", nil), ("%%41", nil),
    ])
    func percentDecodedTexts(text: String, decoded: String?) { #expect(text.percentDecodedText == decoded) }

    @Test(arguments: [
        (" \t a b\t ", "a b", "a b"), ("", "", ""), ("\r\n \t", "\r\n", ""), ("\na\u{1}\n", "\na\u{1}\n", "a"),
        ("ä ", "ä", "ä"),
    ])
    func trimmed(text: String, ofSpaces: String, ofBlanks: String) {
        #expect(text.trimmingSpaces == ofSpaces)
        #expect(text.trimmingBlanks == ofBlanks)
    }

    @Test(arguments: [
        ("Text/HTML; charset=utf-8", "text/html"), ("application/json", "application/json"), (" a/b ;c", "a/b"),
        ("", ""), (";a/b", ""),
    ])
    func mediaTypes(field: String, type: String) { #expect(field.mediaType == type) }

    @Test(arguments: [
        ("", true, true, false), ("read", true, true, true), ("a b", false, true, false), ("a\"b", true, true, false),
        ("a\\b", true, true, false), ("!~", true, true, true), ("a\u{7F}", false, false, false),
        ("a\nb", false, false, false), ("ä", false, false, false),
    ])
    func ascii(text: String, isVisible: Bool, isPrintable: Bool, isNQChars: Bool) {
        #expect(text.isVisibleASCII == isVisible)
        #expect(text.isPrintableASCII == isPrintable)
        #expect(text.isNQChars == isNQChars)
    }
}
