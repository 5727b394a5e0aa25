import HttpConvPlatform
import Testing

/// The parts of paths, as Foundation's `NSString` has them.
@Suite struct PathTextTests {
    @Test(arguments: [
        ("/a/b.p12", "b.p12", "/a", "p12", "/a/b"), ("/a", "a", "/", "", "/a"), ("/a//b/", "b", "/a", "", "/a//b/"),
        ("a.tar.gz", "a.tar.gz", "", "gz", "a.tar"), (".netrc", ".netrc", "", "", ".netrc"), ("/", "", "/", "", "/"),
        ("", "", "", "", ""), ("a/.b", ".b", "a", "", "a/.b"), ("/a.b/c", "c", "/a.b", "", "/a.b/c"),
    ])
    func parts(path: String, name: String, parent: String, type: String, rest: String) {
        #expect(path.lastPathName == name)
        #expect(path.parentPath == parent)
        #expect(path.pathType == type)
        #expect(path.withoutPathType == rest)
    }
}
