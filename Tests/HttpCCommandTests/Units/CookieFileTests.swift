import Foundation
import HttpC
import Testing

@testable import HttpCClient
@testable import HttpCTerminal

@Suite struct CookieFileTests {
    @Test func netscapeFormatComesBack() throws {
        let cookies = [
            Cookie(name: "a", value: "1", domain: "example.com", isHostOnly: true, path: "/x", isSecure: true),
            Cookie(
                name: "b", value: "2=3", domain: "example.com", isHostOnly: false,
                expires: Date(timeIntervalSince1970: 4_000_000_000), isHttpOnly: true),
        ]
        let text = NetscapeCookies.format(cookies)
        #expect(text.contains("#HttpOnly_.example.com\tTRUE\t/\tFALSE\t4000000000\tb\t2=3"))
        let read = NetscapeCookies.parse(text)
        #expect(read.map(\.name) == ["a", "b"])
        #expect(read.map(\.value) == ["1", "2=3"])
        #expect(read.map(\.isHostOnly) == [true, false])
        #expect(read.map(\.isSecure) == [true, false])
        #expect(read.map(\.isHttpOnly) == [false, true])
        #expect(read.map(\.expires) == cookies.map(\.expires))
    }

    @Test(arguments: [
        "# comment", "", "too\tfew", "example.com\tFALSE\t/\tFALSE\tsoon\ta\tb", "\tFALSE\t/\tFALSE\t0\ta\tb",
        "example.com\tFALSE\tnopath\tFALSE\t0\ta\tb", "example.com\tFALSE\t/\tFALSE\t0\ta\tb\u{1}",
    ])
    func unreadableLinesAreLeftOut(line: String) { #expect(NetscapeCookies.parse(line).isEmpty) }

    /// Decoding would change the bytes of a cookie that is not UTF-8.
    @Test func linesThatAreNoText() throws {
        let sandbox = try Sandbox()
        let path = sandbox.path("jar")
        let line = "example.com\tFALSE\t/\tFALSE\t0\t"
        try Data("\(line)a\t".utf8 + [0xE4] + "\n\(line)b\t2\n".utf8).write(to: URL(filePath: path))
        #expect(try CookieFile.read(path).map(\.name) == ["b"])
    }

    @Test(arguments: ["none", "cookies"]) func aLinkThatLeadsNowhereIsNotReplaced(target: String) async throws {
        let sandbox = try Sandbox()
        let link = sandbox.path("cookies")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: sandbox.path(target))
        let failure = await #expect(throws: CommandFailure.self) {
            try await CookieFile.write(.init(cookies: []), to: link)
        }
        #expect(failure?.status == .outputFailed)
        #expect(sandbox.names == ["cookies"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == sandbox.path(target))
    }

    private static let victim = "victim.example\tFALSE\t/\tTRUE\t0\t__Host-sid\tevil"

    /// Unicode's other line ends do not end a line of a cookie file.
    @Test(arguments: ["\u{85}", "\u{2028}", "\u{2029}", "\r", "\u{b}", "\u{c}"])
    func onlyLFEndsALine(separator: String) {
        #expect(NetscapeCookies.parse("a.example\tFALSE\t/\tFALSE\t0\ta\t1\(separator)\(Self.victim)\n").isEmpty)
        let read = NetscapeCookies.parse(
            "# x\r\na.example\tFALSE\t/\tFALSE\t0\ta\t1\r\nb.example\tFALSE\t/\tFALSE\t0\tb\t2")
        #expect(read.map(\.value) == ["1", "2"])
    }

    /// A cookie that would be read back as another one, or as two, is not written.
    @Test(arguments: [
        "1\n\(victim)", "1\t2", "1\u{85}\(victim)", "1\u{2028}\(victim)", "1\r", "1;2",
    ])
    func onlyWhatReadsBackIsWritten(value: String) {
        let good = Cookie(name: "good", value: "1", domain: "a.example", isHostOnly: true)
        let bad = [
            Cookie(name: "bad", value: value, domain: "a.example", isHostOnly: true),
            Cookie(name: "bad\(value)", value: "", domain: "a.example", isHostOnly: true),
            Cookie(name: "bad", value: "1", domain: "a.example", isHostOnly: true, path: "/\(value)"),
            Cookie(name: "bad", value: "1", domain: "a.example\(value)", isHostOnly: true),
            Cookie(name: "bad", value: "1", domain: "#a.example", isHostOnly: true),
            Cookie(name: "__Host-bad", value: "1", domain: "a.example", isHostOnly: true),
        ]
        #expect(NetscapeCookies.format(bad + [good]) == NetscapeCookies.format([good]))
        #expect(NetscapeCookies.parse(NetscapeCookies.format(bad + [good])).map(\.name) == ["good"])
    }

    /// A line is checked as strictly as a `Set-Cookie`.
    @Test(arguments: [
        ("a.example\tFALSE\t/\tFALSE\t0\t__Secure-a\t1", nil), ("a.example\tFALSE\t/x\tTRUE\t0\t__Host-a\t1", nil),
        (".a.example\tTRUE\t/\tTRUE\t0\t__Host-a\t1", nil), ("a.example\tFALSE\t/\tTRUE\t0\t__Host-a\t1", "a.example"),
        (".co.uk\tTRUE\t/\tFALSE\t0\ta\t1", nil), ("..a.example\tTRUE\t/\tFALSE\t0\ta\t1", nil),
        (".example.\tTRUE\t/\tFALSE\t0\ta\t1", nil), ("127.1\tFALSE\t/\tFALSE\t0\ta\t1", nil),
        ("127.0.0.1\tTRUE\t/\tFALSE\t0\ta\t1", "127.0.0.1"), ("localhost\tTRUE\t/\tFALSE\t0\ta\t1", "localhost"),
        ("A.Example\tFALSE\t/\tFALSE\t0\ta\t1", "a.example"), (".a.example\tTRUE\t/\tFALSE\t0\ta\t1", "*.a.example"),
    ])
    func linesAreChecked(line: String, domain: String?) {
        let suffixes = PublicSuffixList(parsing: "example\nco.uk\n")
        let read = NetscapeCookies.parse(line, suffixes: suffixes).map { ($0.isHostOnly ? "" : "*.") + $0.domain }
        #expect(read == [domain].compactMap { $0 })
    }

    @Test func withoutASuffixListALineIsForItsHostOnly() {
        let read = NetscapeCookies.parse(".a.example\tTRUE\t/\tFALSE\t0\ta\t1", suffixes: nil)
        #expect(read.map(\.isHostOnly) == [true])
    }

    @Test func snapshotsAreCheckedAsWell() throws {
        let sandbox = try Sandbox()
        let cookies = [
            Cookie(name: "good", value: "1", domain: "a.example", isHostOnly: true),
            Cookie(name: "bad", value: "1\u{85}2", domain: "a.example", isHostOnly: true),
        ]
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        let json = String(decoding: try encoder.encode(CookieStore.Snapshot(cookies: cookies)), as: UTF8.self)
        #expect(try CookieFile.read(try sandbox.write(json, to: "cookies.json")).map(\.name) == ["good"])
    }
}

@Suite struct ShownTextTests {
    @Test(arguments: [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1_572_864, "1.5 MiB"), (5 << 40, "5.0 TiB")])
    func sizes(count: Int, text: String) { #expect(ByteCount.text(count) == text) }

    @Test func tableAligns() {
        #expect(TextTable.text([["A", "B"], ["long", "x"]]) == "A     B\nlong  x\n")
    }

    @Test(arguments: [
        ("-H", false), ("planted secret", true), ("cGxhbnRlZCBzZWNyZXQ=", true), ("706C616E74656420736563726574", true),
        ("planted%20secret", true),
    ])
    func canarySearchFindsWhatIsThere(text: String, isFound: Bool) {
        #expect(Canary.forms(of: "planted secret", in: "x\(text)y").isEmpty != isFound)
    }
}
