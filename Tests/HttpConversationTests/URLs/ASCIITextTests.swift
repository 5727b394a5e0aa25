import HttpConvFormats
import HttpConversation
import Testing

/// Delimiters are bytes, whatever characters they are part of.
@Suite struct ASCIITextTests {
    @Test func splitsAtBytes() {
        let text = ";a;\u{301}b\u{37e}c;;\r\n;"
        #expect(text.split(ascii: ";").map(String.init) == ["a", "\u{301}b\u{37e}c", "\r\n"])
        #expect(text.split(ascii: ";", keepsEmpty: true).count == 6)
        #expect("a\r\nb".split(ascii: "\n").map { Array($0.utf8) } == [[0x61, 0x0D], [0x62]])
        #expect("".split(ascii: ";").isEmpty)
        #expect("".split(ascii: ";", keepsEmpty: true) == [""])
    }

    @Test func cutsAndTrims() throws {
        let (before, after) = try #require("a=\u{301}b=c".cut(atASCII: "="))
        #expect(Array(before.utf8) == Array("a".utf8))
        #expect(Array(after.utf8) == Array("\u{301}b=c".utf8))
        #expect("a".cut(atASCII: "=") == nil)
        #expect(" \t\u{a0}a \u{301}\t ".trimmingSpaces.unicodeScalars.count == 4)
        #expect(" \t ".trimmingSpaces.isEmpty)
        #expect("a/\u{301}b?c".prefix(upToASCII: "/?") == "a")
        #expect("abc".prefix(upToASCII: "/?") == "abc")
    }

    @Test func comparesAndReplaces() {
        #expect("__HOST-\u{301}a".starts(withASCIILetters: "__host-"))
        #expect(!"\u{212a}".starts(withASCIILetters: "k"))
        #expect("//\u{301}".starts(withBytesOf: "//"))
        #expect("a.\u{301}b".ends(withBytesOf: "b") && !"a.\u{301}".ends(withBytesOf: "."))
        #expect("\u{212a}AZ".asciiLowercased.unicodeScalars.first == "\u{212a}")
        #expect(
            Array("\"\u{301}\\".replacing(ascii: ["\"": "\\\"", "\\": "\\\\"]).utf8) == Array("\\\"\u{301}\\\\".utf8))
        #expect("%41%2f%zz%e".percentDecoded == Array("A/%zz%e".utf8))
    }

    @Test(arguments: [
        ("a\u{9}", true), ("\u{7f}", true), ("\u{80}", true), ("\u{85}", true), ("\u{9f}", true), ("\u{a0}", false),
        ("\u{2027}", false), ("\u{2028}", true), ("\u{2029}", true), ("\u{202a}", false), ("\r\n", true), ("", false),
        ("\u{6625}\u{b7}\u{e9}", false), ("\u{e2}\u{80}", true), ("\u{c2}\u{e2}\u{a8}", false),
    ])
    func controls(text: String, expected: Bool) { #expect(text.hasControls == expected) }
}
