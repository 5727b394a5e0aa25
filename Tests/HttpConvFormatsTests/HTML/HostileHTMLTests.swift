import Foundation
import TestSupport
import Testing

@testable import HttpConvFormats

/// Pages made to cost time or memory.
@Suite(.timeLimit(.minutes(2)), .serialized) struct HostileHTMLTests {
    /// The pages: each piece is repeated up to the size.
    static let pieces: [(name: String, start: String, piece: String, end: String)] = [
        ("deep nesting", "", "<div>", ""),
        ("deep nesting of spans and stray ends", String(repeating: "<b>", count: 250), "</i>", ""),
        ("far too deep nesting and stray ends", String(repeating: "<b>", count: 15_000), "</i>", ""),
        ("inputs", "<form>", "<input name=a>", "</form>"),
        ("forms", "", "<form><input name=a></form>", ""),
        ("nested forms", "", "<form>", ""),
        ("ends of forms", "", "</form>", ""),
        ("unterminated ends of forms", "<form>", "</form ='", ""),
        ("options", "<form><select name=s>", "<option>a", ""),
        ("labels", "<form>", "<label for=a>b</label>", ""),
        ("nested labels", "<form>", "<label>a", ""),
        ("links", "", "<a href=x>y", ""),
        ("text", "", "a &amp; ", ""),
        ("text area of references", "<form><textarea name=t>", "&amp;", ""),
        ("attributes", "<a ", "a%d ", ">"),
        ("attributes with values", "<a ", "a%d='>'", ">"),
        ("tags of many attributes", "", "<a b c d e f g h i j k l m n o p q r s t u v w x y z aa ab ac ad ae>", ""),
        ("unterminated attributes", "", "<a href=\"", ""),
        ("one unterminated attribute", "<input name='", "x", ""),
        ("unterminated comment", "<!--", " a=b --", ""),
        ("comments", "", "<!-->", ""),
        ("declarations", "", "<!DOCTYPE a [<!ENTITY x \"y\">", ""),
        ("processing instructions", "", "<?a ", ""),
        ("opening brackets", "", "<", ""),
        ("ampersands", "", "&a", ""),
        ("script", "<script>", "</a ", ""),
        ("refreshes", "", "<meta http-equiv=refresh content='1;url=x'>", ""),
        ("NULs", "", "\0<p\0>", ""),
    ]

    private static func make(_ sample: (name: String, start: String, piece: String, end: String), _ size: Int)
        -> [UInt8]
    {
        var bytes = Array(sample.start.utf8)
        bytes.reserveCapacity(size + 100)
        let isNumbered = sample.piece.contains("%d")
        var piece = Array(sample.piece.utf8)
        var number = 0
        while bytes.count < size {
            if isNumbered { piece = Array(sample.piece.replacing("%d", with: String(number, radix: 36)).utf8) }
            bytes += piece
            number += 1
        }
        return bytes + Array(sample.end.utf8)
    }

    /// The page, and the CPU seconds of this thread that it took.
    private static func read(_ bytes: [UInt8]) -> (page: HTMLPage, seconds: Double) {
        var page: HTMLPage?
        let time = ThreadTime.measure { page = HTMLPage(bytes) }
        return (page ?? HTMLPage([]), time / .seconds(1))
    }

    @Test(arguments: pieces.indices) func takesTimeProportionalToTheSizeAndKeepsLittle(index: Int) {
        let sample = Self.pieces[index]
        let bytes = Self.make(sample, 1 << 18)
        let quarter = Self.read(Self.make(sample, 1 << 16)).seconds
        var (page, whole) = Self.read(bytes)
        // Four times the size: a quadratic algorithm would take sixteen times as long. These pages are a quarter of the
        // largest one, so the bound is low: a small quadratic part shows, too. Below three hundredths of a second it
        // does no harm.
        let most = max(quarter * 7, 0.03)
        for _ in 0..<3 where whole >= most { whole = min(whole, Self.read(bytes).seconds) }
        #expect(whole < most, "\(sample.name): \(quarter) s and \(whole) s")
        let fields = page.forms.flatMap(\.fields)
        #expect(page.forms.count <= 51 && fields.count <= 1001 && page.links.count <= 200)
        #expect(fields.reduce(0) { $0 + $1.options.count } <= 5001)
        #expect(page.text.unicodeScalars.count <= 4000 && page.title.unicodeScalars.count <= 200)
    }

    @Test func aPageThatWasCutSaysSo() {
        #expect(HTMLPage(Array(repeating: 0x61, count: (1 << 20) + 1)).isCutOff)
        #expect(!HTMLPage(Array(repeating: 0x61, count: 1 << 20)).isCutOff)
        #expect(HTMLPage(Array(String(repeating: "<div>", count: 300).utf8)).isCutOff)
        let inputs = "<form>" + String(repeating: "<input name=a>", count: 1001) + "</form>"
        #expect(HTMLPage(Array(inputs.utf8)).isCutOff)
        let attributes = "<a " + (0..<11_000).map { "a\($0) " }.joined() + "><form><input name=x></form>"
        #expect(HTMLPage(Array(attributes.utf8)).isCutOff)
    }

    /// Each tag alone would be read. libxml2 compares each attribute of a tag with all others.
    @Test(arguments: [1000, 4000]) func manyTagsOfManyAttributesAreNotReadToTheEnd(count: Int) {
        let tag = "<i" + (0..<count).map { " \(String($0, radix: 36))x" }.joined() + "></i>"
        let page = String(repeating: tag, count: (1 << 20) / tag.utf8.count)
        #expect(!HTMLPage(Array("\(tag)<form><input name=x></form>".utf8)).isCutOff)
        var isCutOff = false
        let time = ThreadTime.measure { isCutOff = HTMLPage(Array(page.utf8)).isCutOff }
        // To its end, the second one takes much longer.
        #expect(isCutOff && time < .seconds(1), "\(time)")
    }

    /// A long answer of an identity provider is not an attack.
    @Test func longValuesPass() throws {
        let value = String(repeating: "PHNhbWw+", count: 60_000)
        let page = HTMLPage(Array("<form><input type=hidden name=SAMLResponse value=\"\(value)\"></form>".utf8))
        #expect(page.forms.first?.fields.first?.value == value)
        #expect(!page.isCutOff)
    }

    /// The limit on a tag's attributes does not apply to styles, scripts, comments and texts.
    @Test(arguments: [
        ("<style>", "    .a { color: red; margin: 0 auto }\n", "</style>"),
        ("<script>", "    if (a < b && c) { d = 'e' }\n", "</script>"), ("<!--", " a = b <i\n", "-->"),
        ("<iframe>", " a = b\n", "</iframe>"), ("<p>", "terms of use ", "</p>"),
        ("<form><textarea name=t>", "terms of use ", "</textarea></form>"),
    ])
    func longTextsPass(start: String, piece: String, end: String) {
        let text = String(repeating: piece, count: 5000)
        let page = HTMLPage(Array("\(start)\(text)\(end)<form><input type=password name=p></form>".utf8))
        #expect(page.forms.last?.fields.map(\.kind) == [.password] && !page.isCutOff)
        let area = page.forms.first?.fields.first
        #expect(area?.kind != .textArea || area?.value == text)
    }

    /// Comments end as in browsers, and the page goes on after them.
    @Test(arguments: [
        "<!-->", "<!--->", "<!---->", "<!-- a --!>", "<!-- <form> -- > -->", "<<!-- -->", "<script/>", "<? a >",
        "<script src=/js/>x = '<!--'</script>",
    ])
    func aCommentEnds(start: String) {
        let page = HTMLPage(Array("\(start)<form><input name=a><!-- <input name=b> --></form><input name=c>".utf8))
        #expect(page.forms.map { $0.fields.map(\.name) } == [["a"]] && !page.isCutOff)
    }

    /// A browser shows these forms as text, or as nothing.
    @Test(arguments: [
        "<plaintext>", "<PLAINTEXT class=a>", "<script><!--<script></script>", "<script><!-- <SCRIPT/></script >",
        "<svg><![CDATA[</svg>", "<math><mi><![CDATA[ > ",
    ])
    func formsInTextsAreNone(start: String) {
        #expect(HTMLPage(Array("\(start)<form><input name=a></form>".utf8)).forms.isEmpty)
    }

    /// And these it shows.
    @Test(arguments: [
        "<script><!--<script></script>--></script>", "<script><!--<script></script></script>", "<script><!--></script>",
        "<script><!--<script>--></script>", "<script><!--<scripts></script>", "<script>'<script>'</script>",
        "<svg><![CDATA[ > ]]></svg>", "<svg/><![CDATA[>", "<svg></svg><![CDATA[>", "<![CDATA[>", "<plaintexts>",
    ])
    func formsAfterTextsAreShown(start: String) {
        #expect(HTMLPage(Array("\(start)<form><input name=a></form>".utf8)).forms.count == 1)
    }

    /// XHTML has sections of text in each part.
    @Test func sectionsOfXHTMLAreText() {
        let bytes = Array("<p><![CDATA[<form><input name=a></form>]]></p><form><input name=b></form>".utf8)
        let page = HTMLPage(bytes, contentType: "application/xhtml+xml; charset=utf-8")
        #expect(page.forms.map { $0.fields.map(\.name) } == [["b"]])
    }

    @Test(arguments: [
        ("<!DOCTYPE html><p>", true), (" \n<HTML>", true), ("<!-- a -->", true), ("<h1 class=a>", true),
        ("<b>x", true), ("<blink>", false), ("\u{FEFF}<html>", false), ("{\"a\":\"<html>\"}", false), ("", false),
        ("<", false), ("<html", false), ("x<html>", false), ("<form>", false), ("<?xml version='1.0'?><html>", false),
    ])
    func bytesWithoutATypeAreSniffed(text: String, isPage: Bool) {
        #expect(HTMLPage.isSniffed(Array(text.utf8)) == isPage)
    }

    @Test func anyBytesMakeAPage() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("<>/='\"&;! aftinpuorm-\0\u{FF}".utf8)
        for _ in 0..<300 {
            let bytes = (0..<2000).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            _ = HTMLPage(
                bytes, contentType: ["text/html; charset=utf-16", nil, "x; charset=latin1"].randomElement() ?? nil)
        }
    }
}
