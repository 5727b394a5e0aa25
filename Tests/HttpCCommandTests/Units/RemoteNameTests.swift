import HttpC
import Testing

@testable import HttpCCommand
@testable import HttpCTerminal

@Suite struct RemoteNameTests {
    @Test(
        arguments: [
            ("attachment; filename=report.pdf", "report.pdf"), ("attachment; filename=\"a b.txt\"", "a b.txt"),
            ("attachment; filename=\"a\\\"b\"", "a\"b"), ("inline; FileName = \"x\" ", "x"),
            ("attachment; filename=old; filename*=UTF-8''%e2%82%ac.txt", "€.txt"),
            ("attachment; filename=old; filename*=latin1''x", "old"), ("attachment; filename*=UTF-8''%ff", nil),
            ("attachment", nil), ("", nil), ("attachment; filename=", nil), ("attachment; filename=\"\"", nil),
            // Names are never paths.
            ("attachment; filename=\"../../etc/passwd\"", "passwd"), ("attachment; filename=/etc/cron.d/x", "x"),
            ("attachment; filename=\"C:\\\\temp\\\\x.exe\"", "x.exe"), ("attachment; filename=..", nil),
            ("attachment; filename=\"a/..\"", nil), ("attachment; filename*=UTF-8''..%2f..%2fx", "x"),
            ("attachment; filename=\"/\"", nil), ("attachment; filename=\"...\"", nil),
            ("attachment; filename=\". . .\"", nil),
            // Names are never hidden, and never look like an option or a home directory.
            ("attachment; filename=~root", "_root"), ("attachment; filename=\"~\"", "_"),
            ("attachment; filename=\"~/x\"", "x"), ("attachment; filename=a~", "a~"),
            ("attachment; filename=.bashrc", "_bashrc"), ("attachment; filename=\"  .profile\"", "_profile"),
            ("attachment; filename=-rf", "_rf"), ("attachment; filename=\"a.txt. .\"", "a.txt"),
            // No character acts on a terminal, or reverses the end of the name.
            ("attachment; filename*=UTF-8''a%1b%5b2Jb", "a_[2Jb"), ("attachment; filename*=UTF-8''a%0ab%00c", "a_b_c"),
            ("attachment; filename*=UTF-8''a%e2%80%aefdp.exe", "a_fdp.exe"),
            ("attachment; filename*=UTF-8''%c2%9bx", "_x"),
            // A combining mark hides a slash from comparisons of characters, but not from a file system.
            ("attachment; filename*=UTF-8''a/%cc%81b", "\u{301}b"),
            ("attachment; filename*=UTF-8''..%2f%cc%81", "\u{301}"),
            ("attachment; x=\";filename=no\"; filename=yes", "yes"),
            // No name is that of a record or a partial file of a download.
            ("attachment; filename=big.iso.resume", "big.iso_resume"),
            ("attachment; filename=big.iso.1.part", "big.iso.1_part"), ("attachment; filename=a.ReSume", "a_ReSume"),
            ("attachment; filename=a.PART", "a_PART"), ("attachment; filename=\"a.part. .\"", "a_part"),
            ("attachment; filename*=UTF-8''a.re%c5%bfume", "a_re\u{17F}ume"), ("attachment; filename=.part", "_part"),
            ("attachment; filename=a.part.x", "a.part.x"), ("attachment; filename=part", "part"),
        ] as [(String, String?)])
    func namesOfServers(field: String, name: String?) {
        var head = HTTPResponse(status: .ok)
        head.headerFields[.contentDisposition] = field
        #expect(RemoteName.of(head).map { Array($0.unicodeScalars) } == name.map { Array($0.unicodeScalars) })
    }

    @Test func longNamesKeepTheirEnding() {
        let name = RemoteName.safe(String(repeating: "ü", count: 500) + ".tar.gz")
        #expect(name?.hasSuffix(".gz") == true)
        #expect((name?.utf8.count ?? 999) <= 200)
        #expect(
            RemoteName.safe(String(repeating: "x", count: 500) + "." + String(repeating: "y", count: 500))?.utf8.count
                == 200)
        // Cutting a long name makes none either.
        let cut = RemoteName.safe(String(repeating: "x", count: 195) + ".part" + String(repeating: "y", count: 30))
        #expect(cut == String(repeating: "x", count: 195) + "_part")
        #expect(RemoteName.safe(String(repeating: "x", count: 500) + ".part")?.hasSuffix("x_part") == true)
    }

    @Test(
        arguments: [
            ("https://h/a/b.iso?x=1#f", "b.iso"), ("https://h/", nil), ("https://h", nil), ("https://h/a/", nil),
            ("https://h/.config", ".config"), ("https://h/a/..", nil), ("https://h/a.resume", "a_resume"),
            ("https://h/a.b.Part?x", "a.b_Part"), ("https://h/.part", "_part"), ("https://h/a.part/x", "x"),
        ] as [(String, String?)])
    func namesOfURLs(url: String, name: String?) throws {
        #expect(RemoteName.of(try TargetURL(url)) == name)
    }

    private func destinations(_ arguments: [String], _ urls: [String]) throws -> [String] {
        let options = try FileOptions.parse(arguments)
        return try options.destinations(of: try urls.map { try TargetURL($0) }).map { destination in
            switch destination {
            case .standardOutput: "-"
            case .file(let path): path
            case .named(let directory, let otherwise, let replaces):
                "\(directory ?? ".")/?\(otherwise ?? "")\(replaces ? "!" : "")"
            }
        }
    }

    @Test(
        arguments: [
            ([], ["-", "-"]), (["-o", "x"], ["x", "-"]), (["-o", "x", "-o", "y"], ["x", "y"]),
            (["-o", "-"], ["-", "-"]),
            (["-O"], ["a", "-"]), (["-O", "-O"], ["a", "b"]), (["--remote-name-all"], ["a", "b"]),
            (["-o", "x", "--remote-name-all"], ["x", "b"]), (["-O", "-J"], ["./?a", "-"]),
            (["-O", "-J", "--clobber", "--output-dir", "d"], ["d/?a!", "-"]),
            (["-O", "--output-dir", "d/"], ["d/a", "-"]), (["-o", "/x", "--output-dir", "d"], ["/x", "-"]),
            (["-J"], ["-", "-"]), (["-J", "-o", "x"], ["x", "-"]), (["-o", "x", "-o", "y", "-o", "z"], ["x", "y"]),
            (["-O", "-O", "-O"], ["a", "b"]),
        ])
    func whereBodiesGo(arguments: [String], expected: [String]) throws {
        #expect(try destinations(arguments, ["https://h/a", "https://h/b"]) == expected)
    }

    @Test(
        arguments: [
            (["-o", "x", "-O"], ["https://h/a", "https://h/b"]), (["-O"], ["https://h/"]),
            (["--remote-name-all"], ["https://h/a", "https://h/b/a"]),
        ])
    func whatDoesNotFit(arguments: [String], urls: [String]) {
        #expect(throws: CommandFailure.self) { try destinations(arguments, urls) }
    }
}
