import HttpC
import HttpCTerminal
import Testing

@testable import HttpCRelay

@Suite struct TargetDirectoryTests {
    private let place: TargetDirectory
    private let root: TargetDirectory

    init() throws {
        place = try TargetDirectory(TargetURL("https://intra.example.com/app"))
        root = try TargetDirectory(TargetURL("https://intra.example.com/"))
    }

    @Test(arguments: [
        ("/", "/app/"), ("/x", "/app/x"), ("/x/y?a=/../b", "/app/x/y?a=/../b"), ("/a%2Fb", "/app/a%2Fb"),
        ("/x//y", "/app/x//y"), ("/.well-known/x", "/app/.well-known/x"), ("/a..b", "/app/a..b"),
    ])
    func pathsBelowTheTargetAreMapped(path: String, expected: String) throws {
        let url = try #require(place.url(of: Substring(path)))
        #expect(url.absoluteString == "https://intra.example.com\(expected)")
        #expect(place.path(of: url) == path)
    }

    /// Some clients send them, such as apt for a flat repository.
    @Test(arguments: [
        ("/a/./b", "/a/b"), ("/./x.deb", "/x.deb"), ("/.", "/"), ("/./", "/"), ("/a/.", "/a/"),
        ("/a/././b?/./c", "/a/b?/./c"),
        ("/a/.//b", "/a//b"),
    ])
    func singleDotsAreLeftOut(path: String, expected: String) throws {
        #expect(
            try #require(place.url(of: Substring(path))).absoluteString == "https://intra.example.com/app\(expected)")
    }

    /// Dot segments in all forms, also those that a second server decodes, and paths that are hosts elsewhere.
    static let escapes = [
        "/..", "/../x", "/x/../../y", "/./../x", "/.;x/", "/%2e/x", ".//evil.example", "/.//evil.example", "/%2e%2e/x",
        "/%2E%2E", "/.%2e/x", "/%2e./", "/x/%2e%2e%2f%2e%2e/y",
        "/..%2fx", "/..%5cx", "/..;a/x", "/%252e%252e/x", "/%25252e%25252e/x", "/%2525252525252525x", "//evil.example",
        "//x", "/\\evil.example", "/x\\..\\y", "/..\\x", "/x#y", "", "x", "*", "http://evil.example/",
        "evil.example:80",
        "/x\u{1}", "/x y",
    ]

    @Test(arguments: escapes) func otherPathsAreRefused(path: String) {
        #expect(place.url(of: Substring(path)) == nil)
        #expect(root.url(of: Substring(path)) == nil)
    }

    @Test(arguments: [
        ("https://intra.example.com/app", "/"), ("https://intra.example.com/app?x=1", "/?x=1"),
        ("https://intra.example.com/app/x#part", "/x#part"), ("https://INTRA.example.com:443/app/", "/"),
    ])
    func urlsOfTheTargetBecomePaths(url: String, expected: String) throws {
        #expect(place.path(of: try TargetURL(url)) == expected)
    }

    @Test(arguments: [
        "https://intra.example.com/", "https://intra.example.com/application", "https://intra.example.com/app/../x",
        "https://intra.example.com/app//evil.example", "http://intra.example.com/app/x",
        "https://intra.example.com:8443/app/x", "https://other.example.com/app/x",
    ])
    func otherURLsDoNot(url: String) throws {
        #expect(place.path(of: try TargetURL(url)) == nil)
    }

    @Test(arguments: ["https://a.example/x?y", "https://a.example/x#y", "https://a.example/x/../y"])
    func onlyADirectoryIsATarget(url: String) throws {
        let url = try TargetURL(url)
        #expect(throws: CommandFailure.self) { try TargetDirectory(url) }
    }
}
