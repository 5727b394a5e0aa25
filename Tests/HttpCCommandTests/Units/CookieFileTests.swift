import Foundation
import HttpC
import Testing

@testable import HttpCCommand

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

    @Test func aLinkThatLeadsNowhereIsNotReplaced() throws {
        let sandbox = try Sandbox()
        let link = sandbox.path("jar")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: sandbox.path("none"))
        let failure = #expect(throws: CommandFailure.self) { try CookieFile.write(.init(cookies: []), to: link) }
        #expect(failure?.status == .outputFailed)
        #expect(sandbox.names == ["jar"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == sandbox.path("none"))
    }

    @Test func mergeKeepsWhatOthersChanged() {
        func cookie(_ name: String, _ value: String) -> Cookie {
            Cookie(name: name, value: value, domain: "a", isHostOnly: true, created: Date(timeIntervalSince1970: 1))
        }
        let before = CookieStore.Snapshot(cookies: [cookie("mine", "1"), cookie("gone", "1"), cookie("same", "1")])
        let after = CookieStore.Snapshot(cookies: [cookie("mine", "2"), cookie("same", "1"), cookie("new", "1")])
        let kept = CookieStore.Snapshot(
            cookies: [cookie("mine", "1"), cookie("gone", "1"), cookie("same", "other"), cookie("theirs", "1")])
        let merged = CookieMerge.merge(kept, before: before, after: after)
        let values = Dictionary(uniqueKeysWithValues: merged.cookies.map { ($0.name, $0.value) })
        #expect(values == ["mine": "2", "same": "other", "theirs": "1", "new": "1"])
    }
}

@Suite struct ShownTextTests {
    @Test(arguments: [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1_572_864, "1.5 MiB"), (5 << 40, "5.0 TiB")])
    func sizes(count: Int, text: String) { #expect(ByteCount.text(count) == text) }

    @Test(arguments: [20, 40, 80, 200])
    func progressFits(width: Int) {
        let known = ProgressBar.line(.down, 512, of: 1024, elapsed: .seconds(2), width: width)
        #expect(known.contains(" 50%"))
        #expect(known.count <= max(width, 50))
        let unknown = ProgressBar.line(.up, 2048, of: nil, elapsed: .seconds(2), width: width)
        #expect(unknown == "↑ 2.0 KiB  1.0 KiB/s  0:02")
    }

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
