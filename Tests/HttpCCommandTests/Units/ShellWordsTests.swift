import HttpC
import HttpCTerminal
import TestSupport
import Testing

@Suite struct ShellWordsTests {
    @Test(
        arguments: [
            ("pass show work", ["pass", "show", "work"]),
            ("  a\t'b c'  \"d \\\" e\" f\\ g ", ["a", "b c", "d \" e", "f g"]),
            ("a'b'\"c\" ''", ["abc", ""]), ("\"\\n $x\"", ["\\n $x"]), ("'a\\'", ["a\\"]), ("", []), ("'a", nil),
            ("a\\", nil), ("é 'ü'", ["é", "ü"]),
        ] as [(String, [String]?)])
    func splits(line: String, words: [String]?) { #expect(ShellWords.split(line) == words) }

    /// A shell reads each as the word that it was.
    @Test(arguments: [
        "plain", "http://h:1/a?b", "two words", "it's", "$(touch x)`y`", "-", "", "a;b&c|d>e", "\\", "*~!#",
    ])
    func aShellReadsTheWord(text: String) async throws {
        let word = ShellWords.word(text)
        #expect(ShellWords.split(word) == [text])
        #expect(try await Program.run("/bin/sh", ["-c", "printf %s \(word)"]).text == text)
    }

    @Test func aURLHasNoQuery() throws {
        #expect(ShellWords.url(try TargetURL("https://h.example/it's?secret=1#x")) == "'https://h.example/it'\\''s?…'")
        #expect(ShellWords.url(try TargetURL("https://h.example/a#x")) == "https://h.example/a")
        #expect(ShellWords.word("a\u{1B}b\nc") == "'a\\u{1b}b\\u{a}c'")
    }
}
