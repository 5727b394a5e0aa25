import HttpC
import Testing

@testable import HttpCClient
@testable import HttpCCommand
@testable import HttpCTerminal

@Suite struct URLArgumentTests {
    @Test(arguments: [
        ("example.com", "https://example.com/"), ("example.com:8443/a", "https://example.com:8443/a"),
        ("http://example.com", "http://example.com/"), ("localhost:1", "http://localhost:1/"),
        ("127.0.0.1/a", "http://127.0.0.1/a"), ("127.1.2.3:8080", "http://127.1.2.3:8080/"),
        ("https://localhost/", "https://localhost/"), ("127.0.0.1.example.com", "https://127.0.0.1.example.com/"),
        ("localhost.example.com", "https://localhost.example.com/"),
        ("example.com/localhost", "https://example.com/localhost"),
        ("localhost@example.com", "https://example.com/"), ("a:b@localhost", "http://localhost/"),
        ("example.com/?u=http://x/", "https://example.com/?u=http://x/"), ("[::1]:4/", "http://[::1]:4/"),
        ("alice:secret@example.com/a", "https://example.com/a"), ("https://a:b@example.com/", "https://example.com/"),
    ])
    func completes(text: String, url: String) throws {
        #expect(try URLArgument(text).target.absoluteString == url)
    }

    @Test(arguments: [
        ("ftp://example.com/", HttpCTerminal.ExitStatus.schemeRefused), ("file:///etc/passwd", .schemeRefused),
        ("mailto:alice", .schemeRefused), ("http://[::x/", .malformedURL), ("http://exa mple/", .malformedURL),
        ("http://example.com:99999/", .malformedURL), ("", .malformedURL), ("http://", .malformedURL),
        ("http://example.com../", .malformedURL), ("http://127.1/", .malformedURL), ("0x7f.1", .malformedURL),
        ("2130706433", .malformedURL), ("http://0177.0.0.1/", .malformedURL),
    ])
    func refuses(text: String, status: HttpCTerminal.ExitStatus) {
        #expect { try URLArgument(text) } throws: { ($0 as? CommandFailure)?.status == status }
    }

    @Test func takesUserinfoOut() throws {
        let argument = try URLArgument("https://al%40ice:se%3Acret@example.com/")
        #expect(argument.user?.name == "al@ice")
        #expect(argument.user?.password?.value == "se:cret")
        #expect(try URLArgument("https://example.com/").user == nil)
    }

    @Test func appendsFileName() throws {
        let base = try TargetURL("https://example.com/in/")
        #expect(
            try URLArgument.appending(fileName: "a b.txt", to: base).absoluteString
                == "https://example.com/in/a%20b.txt")
        let file = try TargetURL("https://example.com/in")
        #expect(try URLArgument.appending(fileName: "a", to: file) == file)
        let signed = try TargetURL("https://example.com/in/?sig=a%2Fb/")
        #expect(
            try URLArgument.appending(fileName: "a?b", to: signed).absoluteString
                == "https://example.com/in/a%3Fb?sig=a%2Fb/")
    }
}

@Suite struct UserArgumentTests {
    @Test(arguments: [
        ("alice", "alice", nil), ("alice:", "alice", ""), ("alice:a:b", "alice", "a:b"), (":p", "", "p"),
        ("alice:\u{301}b", "alice", "\u{301}b"),
    ])
    func splitsAtTheFirstColon(text: String, name: String, password: String?) {
        let user = UserArgument(text)
        #expect(user.name == name)
        #expect(user.password?.value == password)
    }
}

@Suite struct HeaderArgumentTests {
    @Test(arguments: [
        ("A: b", "b"), ("A:b", "b"), ("A:  b c ", "b c"), ("A;", ""), ("A: x;y", "x;y"), ("A: http://x", "http://x"),
    ])
    func sends(text: String, value: String) throws {
        guard case .send(let field) = try HeaderArgument(text) else {
            Issue.record("\(text) was not sent")
            return
        }
        #expect(field.name.rawName == "A")
        #expect(field.value == value)
    }

    @Test func removes() throws {
        let defaults: HTTPFields = [.userAgent: "httpc", .accept: "*/*"]
        let fields = try HeaderArgument.fields(["User-Agent:", "X-A: 1", "X-A: 2"], defaults: defaults)
        #expect(fields[.userAgent] == nil)
        #expect(fields[.accept] == "*/*")
        #expect(fields.count == 3)
    }

    @Test(arguments: [
        "A: b\r\nC: d", "A: b\nC", "A: \u{0}", "no colon", ": empty", "A b: c", "A;b", "A:b\r", "Ä: b", "",
    ])
    func refuses(text: String) {
        #expect { try HeaderArgument(text) } throws: { ($0 as? CommandFailure)?.status == .usage }
    }
}

@Suite struct SecretArgumentsTests {
    @Test(arguments: [
        (["-u", "alice:a:b"], ["a:b"]), (["-ualice:x"], ["x"]), (["-su", "alice:x", "-u", "bob:y"], ["x", "y"]),
        (["--user=alice:x", "--user", "bob:y"], ["x", "y"]), (["-u", "alice"], []),
        (["-u", "key:", "-Ukey:", "-u", ":"], ["key:", "key:", ":"]),
        (
            ["-e", "http://x/?a", "-ehttp://y/", "--referer=z", "--referer", "z"],
            ["http://x/?a", "http://y/", "z", "z"]
        ),
        (["-b", "a=b", "-ba=c", "--cookie=a=d", "-sb", "a=e", "-b", "file"], ["a=b", "a=c", "a=d", "a=e"]),
        (["-x", "http://a:b@h:1", "-xc:d@h", "--proxy=socks5://e@h", "--proxy", "h"], ["a:b", "c:d", "e"]),
        (["-U", "a:b", "-sUa:c", "--proxy-user=a:d", "--proxy-user", "a", "--noproxy", "x"], ["b", "c", "d"]),
        (["-H", "A: b", "--header=C: d", "-A", "e"], ["A: b", "C: d", "e"]),
        (["-d", "x", "-d@file", "--data-binary", "@file", "--data=y"], ["x", "y"]),
        (["--answer", "a=b", "--answer=c=d", "--answer-env", "a=b"], ["a=b", "c=d"]),
        (["https://h/a?token=t#f"], ["token=t#f"]), (["h/#f"], ["f"]), (["https://a:b@h/?c"], ["a:b", "c"]),
        (["a:b@h/"], ["a:b"]), (["https://a:p/w?x@h/#f"], ["a:p/w?x", "f"]), (["https://h/@a:b"], []),
        (["https://h:80/a@b"], []), (["--", "-u", "a:b?c"], ["c"]), (["login", "https://h/?t"], ["t"]),
        (["-ofile", "-Xuser:x", "-m5"], []), (["-u", "--", "-H", "h: a"], ["h: a"]), (["-H", "", "h"], []),
        (
            ["---completion", "--", "--profile", "5", "httpc", "-u", "alice", ":", "x"],
            ["--", "--profile", "5", "httpc", "-u", "alice", ":", "x"]
        ),
    ])
    func everySecretIsFound(arguments: [String], secrets: [String]) {
        let bytes = arguments.map { Array($0.utf8) }
        let found = SecretArguments.ranges(in: bytes).map { String(decoding: bytes[$0.index][$0.range], as: UTF8.self) }
        #expect(found == secrets)
    }

    @Test(
        arguments: [
            ("0", 0), ("500", 500), ("200K", 204_800), ("200k", 204_800), ("3m", 3 << 20), ("1G", 1 << 30),
            ("", nil), ("k", nil), ("-1", nil), ("1.5M", nil), ("1KB", nil), ("1 K", nil),
            ("9223372036854775807k", nil),
            ("99999999999999999999", nil), ("\u{661}", nil),
        ] as [(String, Int?)]) func byteLimits(text: String, bytes: Int?)
    {
        #expect(ByteLimit(argument: text)?.bytes == bytes)
    }
}
