import Foundation
import HttpC
import Testing

@testable import HttpCCommand
@testable import HttpCTerminal

@Suite struct JSONLayoutTests {
    private static let plain = TerminalStyle(isColoured: false)

    private func lines(_ text: String) -> String? {
        JSONLayout.lines(Array(text.utf8), Self.plain).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The whole text, taken in pieces of a given size in bytes.
    private func pieces(_ text: [UInt8], of size: Int) -> [UInt8] {
        var pieces = JSONPieces(Self.plain)
        var output: [UInt8] = []
        for start in stride(from: 0, to: text.count, by: size) {
            output += pieces.take(Array(text[start..<min(start + size, text.count)]))
        }
        return output + pieces.finish()
    }

    @Test func indents() {
        #expect(
            lines(#" { "b" : 1.000 , "a":[ ], "x":[1e+5,{"y":null,"y":-0}],"o":{}} "#) == """
                {
                  "b": 1.000,
                  "a": [],
                  "x": [
                    1e+5,
                    {
                      "y": null,
                      "y": -0
                    }
                  ],
                  "o": {}
                }

                """)
    }

    /// Tokens stay unchanged: no number is computed, and no text decoded.
    @Test(arguments: [
        "123456789012345678901234567890.10e-400", "-0", "0", "0.0", #""\u0000\ud800\/é\u001b[31m""#, "\"\u{1F600}\"",
        "true",
        "null", #"["z","a"]"#, #"{"b":1,"a":2,"b":3}"#,
    ]) func tokensStay(text: String) throws {
        let laidOut = try #require(lines(text))
        #expect(laidOut.filter { !" \n".contains($0) } == text)
    }

    @Test(arguments: [
        "", " ", "{", "}", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:2}", "01", "1.", ".1",
        "1e", "+1",
        "--1", "tru", "nulll", "[1 2]", "\"\n\"", "\"\\x\"", "\"\\u12g4\"", "\"abc", "'a'", "[1]]", "1 2", "NaN",
        "\u{feff}1",
        "[}", "{]", "\u{b}1",
    ]) func noJSON(text: String) {
        #expect(lines(text) == nil)
    }

    @Test func noUTF8IsNoJSON() {
        #expect(JSONLayout.lines([0x22, 0xC2, 0x22], Self.plain) == nil)
        #expect(JSONLayout.lines([0x22, 0xED, 0xA0, 0x80, 0x22], Self.plain) == nil)
    }

    /// Security rule S21: characters that JSON permits and terminals act upon.
    @Test(arguments: [
        ("\u{7f}", "\\u007f"), ("\u{9b}31m", "\\u009b31m"), ("\u{202e}", "\\u202e"), ("\u{2066}", "\\u2066"),
        ("\u{2028}", "\\u2028"), ("\u{200f}", "\\u200f"), ("\u{61c}", "\\u061c"),
    ]) func controlsAreEscaped(text: String, escape: String) throws {
        #expect(lines("{\"k\(text)\":\"v\(text)\"}") == "{\n  \"k\(escape)\": \"v\(escape)\"\n}\n")
    }

    /// Indentation grows with depth, so depth and size are bounded against the server.
    @Test func depthAndSizeAreBounded() {
        let deep = String(repeating: "[", count: 101) + String(repeating: "]", count: 101)
        #expect(lines(deep) == nil)
        #expect(lines(String(deep.dropFirst().dropLast())) != nil)
        let wide =
            String(repeating: "[", count: 90) + String(repeating: "1,", count: 60_000) + "1"
            + String(repeating: "]", count: 90)
        #expect(lines(wide) == nil)
    }

    @Test(
        arguments: [
            ("{\"a\":1}{\"a\":2}", "{\n  \"a\": 1\n}\n{\n  \"a\": 2\n}\n"), ("1 2\n3", "1\n2\n3\n"),
            ("[1]\n", "[\n  1\n]\n"),
            ("\"[\\\"{\"[]", "\"[\\\"{\"\n[]\n"), ("[1] x{\"a\":1}", "[\n  1\n]\n x{\"a\":1}"), ("{\"a\":", "{\"a\":"),
            (" \n", " \n"),
            ("{\"a\":1]  {}", "{\"a\":1]  {}"), ("no json [1]", "no json [1]"), ("1[", "1\n["), ("", ""),
            ("[\"]\"]", "[\n  \"]\"\n]\n"),
            ("\u{1b}[31m", "\u{1b}[31m"),
        ], [1, 3, 1000])
    func valuesAreLaidOutAsTheyCome(sample: (String, String), size: Int) {
        #expect(String(decoding: pieces(Array(sample.0.utf8), of: size), as: UTF8.self) == sample.1)
    }

    /// Security rule S24: the buffer never grows beyond the limit of a value.
    @Test func whatIsTooLargeGoesOnAsItCame() {
        let text = Array("[\"\(String(repeating: "a", count: 1 << 20))\"]".utf8)
        var pieces = JSONPieces(Self.plain)
        var output: [UInt8] = []
        for start in stride(from: 0, to: text.count, by: 60_000) {
            output += pieces.take(Array(text[start..<min(start + 60_000, text.count)]))
        }
        #expect(output == text, "before its end")
    }

    /// In a stream of objects, each one is shown when it arrives.
    @Test func aStreamStaysAStream() {
        var pieces = JSONPieces(Self.plain)
        #expect(!pieces.take(Array("{\"type\":\"ADDED\"}".utf8)).isEmpty)
        #expect(pieces.take(Array("\n{\"type\":".utf8)).isEmpty)
        #expect(!pieces.take(Array("\"DELETED\"}".utf8)).isEmpty)
    }

    @Test(
        arguments: [
            ("application/json", true), ("Application/JSON; charset=utf-8", true), ("application/problem+json", true),
            ("text/json", true), ("application/x-ndjson", false), ("application/json-seq", false),
            ("text/plain", false),
            ("", false), ("text/event-stream", false), ("application/jsonx", false),
        ] as [(String, Bool)])
    func typesThatAreJSON(type: String, isJSON: Bool) throws {
        for (arguments, isWanted) in [([], true), (["--no-pretty"], false), (["-N"], false), (["--events"], false)] {
            let layout = try RequestPlan(RequestCommand.parse(arguments + ["http://h/"])).layout
            var body = TerminalBody(HTTPResponse(status: .ok, headerFields: [.contentType: type]), layout)
            let output = try body.take(Array("[1]".utf8)) + body.finish()
            #expect((output.count > 3) == (isJSON && isWanted), "\(arguments)")
        }
    }

    @Test func aNULNearTheStartIsRefused() throws {
        let layout = try RequestPlan(RequestCommand.parse(["http://h/"])).layout
        for (count, isRefused) in [(0, true), (1999, true), (2000, false)] {
            var body = TerminalBody(HTTPResponse(status: .ok), layout)
            let bytes = [UInt8](repeating: 0x61, count: count) + [0]
            if isRefused {
                #expect { try body.take(bytes) } throws: { ($0 as? ConversationError)?.code == .outputFailed }
            } else {
                #expect(try body.take(bytes) == bytes)
            }
        }
    }
}
