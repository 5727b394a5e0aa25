import Testing

@testable import HttpCDemo

@Suite struct DemoTextTests {
    @Test(arguments: [
        ("one two three", 80, ["one two three"]),
        ("one two three", 9, ["one two", "  three"]),
        ("  one two", 8, ["  one", "  two"]),
        ("abcdefghijkl", 8, ["abcdefgh", "  ijkl"]),
        ("{\"a\":1,\"b\":2}", 8, ["{\"a\":1,", "  \"b\":2}"]),
        ("\u{1B}[1mone\u{1B}[0m two", 8, ["\u{1B}[1mone\u{1B}[0m two"]),
        ("日本語です", 8, ["日本語で", "  す"]),
        ("", 8, [""]),
    ])
    func wraps(text: String, width: Int, lines: [String]) {
        #expect(DemoText.wrapped(text, to: width, hanging: 2) == lines)
    }

    @Test func queriesAreNotShown() {
        let line = "open http://h/authorize?state=abc&code=d now, \"http://h/?x=1\""
        #expect(DemoText.withoutQueries(line) == "open http://h/authorize?… now, \"http://h/?…\"")
    }

    @Test func whatWasOverwrittenIsNotShown() {
        var transcript = DemoTranscript(keepsColours: true)
        #expect(transcript.add(Array("50%\r\u{1B}[K100%\r\n\u{1B}[1mbo".utf8)) == ["100%"])
        #expect(transcript.add(Array("ld\u{1B}[0m\r\nPassw".utf8)) == ["\u{1B}[1mbold\u{1B}[0m"])
        #expect(transcript.add(Array("ord: ".utf8)) == [] && transcript.lastLine == "Password: ")
        #expect(transcript.finish() == ["Password: "] && transcript.finish() == [])
    }
}
