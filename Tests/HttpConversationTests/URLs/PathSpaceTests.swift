import Testing

@testable import HttpConversation

/// Security rules S10 and S13: a path that a server may resolve to the outside of a space is not in it.
@Suite struct PathSpaceTests {
    /// Paths with hidden dot segments: servers differ in what they decode before they remove those.
    static let hidden = [
        "/a/../b", "/a/./b", "/a/%2e%2E/b", "/a/.%2e/b", "/a/..%2fb", "/a/..%2F..%2Fb", "/a/%2e%2e%2fb",
        "/a/x%2f..%2f..%2fb",
        "/a/..%5cb", "/a/x%5C..%5Cb", "/a/..;/b", "/a/..;x=1/b", "/a/%2e%2e%3bx/b", "/a/.;/b", "/a/..", "/a/..%2f",
    ]

    @Test(arguments: hidden)
    func hiddenDotSegmentsBelongToNoSpace(path: String) throws {
        let target = try TargetURL("https://h\(path)")
        #expect(!PathSpace.contains("/a/", target))
        #expect(!PathSpace.contains("/", target))
        #expect(PathSpace.directory(of: target) == nil)
    }

    @Test(arguments: ["/a/b", "/a/..b", "/a/b..", "/a/.b/c", "/a/...", "/a/x;y/z", "/a/x%2fy", "/a/x;..", "/a/%2e%2eb"])
    func pathsBelowADirectory(path: String) throws {
        let target = try TargetURL("https://h\(path)")
        #expect(PathSpace.contains("/a", target))
        #expect(PathSpace.contains("/a/", target))
        #expect(!PathSpace.contains("/a/b/c", target))
    }

    @Test(arguments: ["/ab", "/a%2fb", "/", "/b/a/", "/A/b"])
    func pathsOutsideADirectory(path: String) throws {
        #expect(!PathSpace.contains("/a", try TargetURL("https://h\(path)")))
    }
}
