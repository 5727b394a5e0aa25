import Testing

@testable import HttpCClient

/// The reader of profile files. Its results are those of Python's tomllib for the same texts.
@Suite struct TOMLParserTests {
    @Test(arguments: [
        ("", "{}"), ("# x\r\n\r\n", "{}"), ("a='b'", "{a:b}"), ("a = \"b\" # c\n'd.e' = ''\n", "{a:b,d.e:}"),
        ("a.b . \"c\" = 'd'\na.e = 'f'", "{a:{b:{c:d},e:f}}"),
        ("[a.b]\nc='d'\n[a]\ne='f'\n[ 1 ]", "{1:{},a:{b:{c:d},e:f}}"),
        ("a = [\n['1'], # x\n[{}, '2',],\n]\n", "{a:[[1],[{},2]]}"), ("a={b.c='d',b.e='f'}", "{a:{b:{c:d,e:f}}}"),
        (
            "a = [\r\n'x',\r\n]\r\nb.'c' = {d = 'e', f = 'g'} # 1\r\n[1]\r\n2 = '3'\r\n",
            "{1:{2:3},a:[x],b:{c:{d:e,f:g}}}"
        ),
        ("[a]\nb.c='d'\n[a.b.e]\nf='g'", "{a:{b:{c:d,e:{f:g}}}}"),
    ])
    func tables(text: String, expected: String) throws {
        #expect(try Self.shown(.table(TOMLParser.parse(text))) == expected)
    }

    @Test(arguments: [
        (#""\b\t\n\f\r\"\\\u00e4\U0001F600""#, "\u{8}\t\n\u{C}\r\"\\\u{E4}\u{1F600}"), (#"'\n"'"#, #"\n""#),
        ("\"\"\"\n[$x]\n\\\"\"\"\"", "[$x]\n\""), ("'''\n[$x]\r\n'''", "[$x]\n"), ("'''\\'a'''''", "\\'a''"),
        ("\"\"\"a \\  \n \n\t b\"\"\"", "a b"), ("\"\"\"\"\"\"", ""), ("\"\"", ""), ("\"\"\"\"a\"\"\"\"", "\"a\""),
    ])
    func strings(text: String, expected: String) throws {
        guard case .string(let string) = try TOMLParser.parse("a = \(text)\n").members["a"] else {
            Issue.record("not a string")
            return
        }
        #expect(string == expected)
    }

    @Test(arguments: [
        "a", "a =", "a = \n'b'", "= 'b'", "a = 'b' c = 'd'", "a = 'b", "a = \"b\nc\"", "a = [", "a = ['b' 'c']",
        "a = [,]", "a = {b='c',}", "a = {b='c'\n}", "a = {", "[a", "[]", "[a]]", "[a] b='c'", "a..b = 'c'",
        ".a = 'b'", "a = '''''''''", #"a = "\x""#, #"a = "\ud800""#, #"a = "\u12""#, "a = \"\u{1}\"",
        "'''a''' = 'b'", "a b = 'c'", "a = 'b'\rc = 'd'", "a.b='c'\n[a]", "[a]\n[a]", "a={}\na.b='c'",
        "a={}\n[a.b]", "[a]\nb='c'\n[a.b]", "[a.b]\n[a]\nb.c='d'", "a='b'\na='c'", "a = \"\\\"",
        "a = '''\u{0}'''", "a=" + String(repeating: "[", count: 100_000),
        String(repeating: "a.", count: 100_000) + "a='b'",
    ])
    func mistakes(text: String) { #expect(throws: TOMLMistake.self) { try TOMLParser.parse(text) } }

    private static func shown(_ value: TOMLValue) -> String {
        switch value {
        case .string(let text): text
        case .boolean(let isTrue): "\(isTrue)"
        case .array(let elements): "[" + elements.map(shown).joined(separator: ",") + "]"
        case .table(let table):
            "{" + table.members.sorted { $0.key < $1.key }.map { "\($0.key):\(shown($0.value))" }.joined(separator: ",")
                + "}"
        }
    }
}
