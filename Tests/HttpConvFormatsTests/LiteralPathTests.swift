import HttpConvFormats
import Testing

@Suite struct LiteralPathTests {
    @Test(
        arguments: [
            ("Rows('a/b?c')/Lines?x=a/b", ["Rows('a/b?c')", "Lines"]), ("/Rows//a/", ["Rows", "a"]), ("", []),
            ("Rows('O''Neil/x')/Lines", ["Rows('O''Neil/x')", "Lines"]), ("Rows('(')/Lines", ["Rows('(')", "Lines"]),
            ("Near(a=Rows('x/y'),b=2)/Lines", ["Near(a=Rows('x/y'),b=2)", "Lines"]),
            // A quote that is no literal's does not hide what follows.
            ("Rows/O'Neil/Lines?$top=1", ["Rows", "O'Neil", "Lines"]), (")'a/b'", [")'a", "b'"]),
        ] as [(String, [String])])
    func segments(path: String, segments: [String]) { #expect(LiteralPath.segments(path) == segments) }
}
