import HttpConversation
import Testing

/// URLs made from parts of others: no part is ever read as another one.
@Suite struct TargetURLPartsTests {
    @Test(arguments: [
        ("https://a/b?c#d", "x=1", "https://a/b?x=1"), ("https://a//evil:1/b?c", "x", "https://a//evil:1/b?x"),
        ("https://a//evil", "", "https://a//evil?"), ("https://a/b", "q#f?g", "https://a/b?q%23f?g"),
        ("https://a/b", "//evil/ü", "https://a/b?//evil/%C3%BC"), ("https://a/", "@evil/", "https://a/?@evil/"),
        ("https://a/", "u=CORP\\alice", "https://a/?u=CORP%5Calice"),
    ]) func anotherQuery(url: String, query: String, result: String) throws {
        let changed = try TargetURL(url).with(query: query)
        #expect(changed.absoluteString == result && changed.origin.host == "a")
        #expect(try TargetURL(changed.absoluteString) == changed, "reads back as itself")
    }

    @Test(arguments: [
        ("https://a//evil?b=c#d", "x=1", "https://a//evil?b=c&x=1#d"), ("https://a/b?c&", "x", "https://a/b?c&x"),
        ("https://a/b?", "x", "https://a/b?x"), ("https://a/b#f", "x", "https://a/b?x#f"),
        ("https://a/b?c", "", "https://a/b?c"),
    ]) func moreQuery(url: String, query: String, result: String) throws {
        #expect(try TargetURL(url).appending(query: query).absoluteString == result)
    }

    @Test(arguments: [
        ("//evil/x", "https://a//evil/x"), ("/?#", "https://a/%3F%23"), ("/ü", "https://a/%C3%BC"),
        ("/@evil", "https://a/@evil"),
    ]) func anotherPath(path: String, result: String) throws {
        let changed = try TargetURL("https://a/b?c#d").with(path: path)
        #expect(changed.absoluteString == result && changed.origin.host == "a")
        #expect(try TargetURL(changed.absoluteString) == changed, "reads back as itself")
    }

    @Test func aQueryCanBeRemoved() throws {
        #expect(try TargetURL("https://a//b?c#d").with(query: nil).absoluteString == "https://a//b")
    }

    @Test(arguments: ["a\\b", "?a\\b"]) func backslashesInPathsAreRefused(text: String) throws {
        #expect(throws: ConversationError.self) { try TargetURL("https://a/").with(path: "/" + text) }
    }

    @Test(arguments: ["a b", "a\r\nb", "a\tb", "\u{0}"]) func invalidQueriesAreRefused(text: String) throws {
        let url = try TargetURL("https://a/")
        #expect(throws: ConversationError.self) { try url.with(query: text) }
        #expect(throws: ConversationError.self) { try url.appending(query: text) }
        #expect(throws: ConversationError.self) { try url.with(path: "/" + text) }
    }

    @Test(arguments: ["", "evil", "@evil", ":1/", "?x"]) func aPathStartsWithASlash(path: String) throws {
        let url = try TargetURL("https://a/")
        #expect(throws: ConversationError.self) { try url.with(path: path) }
    }
}
