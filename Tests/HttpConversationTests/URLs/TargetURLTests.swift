import HTTPTypes
import HttpConversation
import Testing

@Suite struct TargetURLTests {
    @Test(arguments: [
        ("http://example.com", "http://example.com", "/"),
        ("HTTPS://EXAMPLE.com:443/a?b=c#d", "https://example.com", "/a?b=c"),
        ("https://example.com.:8443/", "https://example.com:8443", "/"),
        ("http://example.com:/x", "http://example.com", "/x"),
        ("http://[::1]:80/x", "http://[::1]", "/x"),
        ("http://[2001:DB8:0:0::1]/x", "http://[2001:db8::1]", "/x"),
        ("http://bücher.example/ä?ö=ü", "http://xn--bcher-kva.example", "/%C3%A4?%C3%B6=%C3%BC"),
        ("http://example.com?q", "http://example.com", "/?q"),
        ("http://a_b.example/{x}|y", "http://a_b.example", "/%7Bx%7D%7Cy"),
        ("http://127.0.0.1./", "http://127.0.0.1", "/"), ("http://LocalHost./", "http://localhost", "/"),
        ("http://b\u{fc}cher\u{3002}/", "http://xn--bcher-kva", "/"), ("http://1.example/", "http://1.example", "/"),
        ("http://0x7f.example/", "http://0x7f.example", "/"), ("http://a.0xg/", "http://a.0xg", "/"),
        // Delimiters are bytes: a combining mark does not hide them.
        ("http://a.example/\u{301}@evil.example/", "http://a.example", "/%CC%81@evil.example/"),
        ("http://a.example?\u{301}#x", "http://a.example", "/?%CC%81"),
        ("http://a/?b=c\\d\\@evil/", "http://a", "/?b=c%5Cd%5C@evil/"), ("http://a/b#c\\d", "http://a", "/b"),
    ])
    func isNormalised(text: String, origin: String, target: String) throws {
        let url = try TargetURL(text)
        #expect(url.origin.description == origin)
        #expect(url.requestTarget == target)
    }

    @Test(arguments: [
        ("", "invalidURL"), ("example.com/x", "invalidURL"), ("http:", "invalidURL"), ("http:///x", "invalidURL"),
        ("http://", "invalidURL"), ("http://a b/", "invalidURL"), ("http://a/b c", "invalidURL"),
        ("http://a\\b/", "invalidURL"), ("http://a\\b?c", "invalidURL"), ("http://a/b\\c?d", "invalidURL"),
        ("http://a/\r\nX: y", "invalidURL"), ("http://a/\u{0}", "invalidURL"),
        ("http://a%2fb/", "invalidURL"), ("http://a%40b/", "invalidURL"), ("http://a:port/", "invalidURL"),
        ("http://a:0/", "invalidURL"), ("http://a:65536/", "invalidURL"),
        ("http://a:99999999999999999999/", "invalidURL"),
        ("http://[::1/", "invalidURL"), ("http://[::1]x/", "invalidURL"), ("http://[nonsense]/", "invalidURL"),
        ("http://a..b/", "invalidURL"), ("http://./", "invalidURL"), ("http://a!b/", "invalidURL"),
        ("http://a../", "invalidURL"), ("http://.a/", "invalidURL"), ("http://b\u{fc}cher..", "invalidURL"),
        ("http://b\u{fc}cher.\u{3002}", "invalidURL"), ("http://\u{3002}/", "invalidURL"),
        ("http://127.1/", "invalidURL"), ("http://0x7f.1/", "invalidURL"), ("http://2130706433/", "invalidURL"),
        ("http://0x7f000001/", "invalidURL"), ("http://0177.0.0.1/", "invalidURL"),
        ("http://127.0.0.1../", "invalidURL"),
        ("http://127.0.0.256/", "invalidURL"), ("http://1.2.3.4.5/", "invalidURL"), ("http://a.1/", "invalidURL"),
        ("http://a.0x/", "invalidURL"), ("http://a.0XaF./", "invalidURL"), ("http://127.0.0.0x1/", "invalidURL"),
        ("http://\u{ff11}\u{ff12}\u{ff17}.1/", "invalidURL"), ("http://1/", "invalidURL"),
        ("http://\u{202E}evil/", "invalidURL"), ("ftp://a/", "unsupportedScheme"),
        ("file:///etc/passwd", "unsupportedScheme"),
        ("javascript:alert(1)", "unsupportedScheme"), ("com.example.app:/cb", "unsupportedScheme"),
    ])
    func isRefused(text: String, code: String) {
        let error = #expect(throws: ConversationError.self) { try TargetURL(text) }
        #expect(error?.code.description == code)
    }

    /// A text behind a `*` would become a part of the host.
    @Test(arguments: ["?@evil.example/x", "?a", "/a", "a"])
    func aServerWideTargetHasNoQuery(reference: String) throws {
        let all = try TargetURL(
            HTTPRequest(method: .options, scheme: "http", authority: "a.example", path: "*"))
        #expect(all.requestTarget == "*" && all.absoluteForm == "http://a.example")
        #expect(try all.resolving("").requestTarget == "*")
        let resolved = try all.resolving(reference)
        #expect(resolved.requestTarget == (reference.hasPrefix("/") ? reference : "/" + reference))
        #expect(try TargetURL(resolved.absoluteForm).origin == all.origin)
        #expect(try all.with(query: "@evil.example/x").requestTarget == "/?@evil.example/x")
        #expect(try all.appending(query: "a").requestTarget == "/?a")
    }

    /// RFC 3986 §5.4, for http references.
    @Test(arguments: [
        ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"),
        ("#s", "/b/c/d;p?q"), (";x", "/b/c/;x"), ("", "/b/c/d;p?q"), (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"),
        ("../g", "/b/g"), ("../..", "/"), ("../../g", "/g"), ("../../../g", "/g"), ("/./g", "/g"), ("/../g", "/g"),
        ("g.", "/b/c/g."), ("..g", "/b/c/..g"), ("./g/.", "/b/c/g/"), ("g/./h", "/b/c/g/h"), ("g/../h", "/b/c/h"),
        ("g?y/../x", "/b/c/g?y/../x"), ("a b", "/b/c/a%20b"), ("ü", "/b/c/%C3%BC"),
        ("/q?a=b\\c d", "/q?a=b%5Cc%20d"), ("?\\", "/b/c/d;p?%5C"), ("g#a\\b", "/b/c/g"),
    ])
    func resolvesReferences(reference: String, target: String) throws {
        let base = try TargetURL("http://a/b/c/d;p?q")
        let resolved = try base.resolving(reference)
        #expect(resolved.origin == base.origin)
        #expect(resolved.requestTarget == target)
    }

    @Test func resolvesToOtherOriginsAndInheritsTheFragment() throws {
        let base = try TargetURL("https://a/x#part")
        #expect(try base.resolving("//b/y").absoluteString == "https://b/y#part")
        #expect(try base.resolving("http://c:81/z#own").absoluteString == "http://c:81/z#own")
        for reference in ["//bücher.example/ä#ö\\", "https://bücher.example/ä#ö\\"] {
            #expect(
                try base.resolving(reference).absoluteString
                    == "https://xn--bcher-kva.example/%C3%A4#%C3%B6%5C")
        }
        #expect(throws: ConversationError.self) { try base.resolving("mailto:someone") }
        #expect(throws: ConversationError.self) { try base.resolving("/x\u{1B}[31m") }
    }

    @Test(arguments: [
        "//a..", "http://127.1/", "//0x7f.1/x", "http://2130706433/", "//a b/", "//a\u{0}/", "//a\\b/", "//a%C3%BC/",
        "http://a\\@b/?c", "/a\\b", "\\\\b", "a\\b?c",
    ])
    func referencesAreCheckedLikeURLs(reference: String) throws {
        let base = try TargetURL("http://a/")
        #expect(throws: ConversationError.self) { try base.resolving(reference) }
    }

    @Test func aCombiningMarkHidesNoUserinfo() throws {
        #expect(try TargetURL("http://user:\u{301}secret@host/").userinfo == "user:\u{301}secret")
        do throws(ConversationError) {
            #expect(try TargetURL("http://user:secret@\u{301}host/").userinfo == "user:secret")
        } catch {
            #expect(!error.message.contains("secret"))
        }
    }

    @Test(
        "A host with a NUL is not an address, whatever comes before the NUL",
        arguments: ["::1\0", "::1\0.example", "127.0.0.1\0x"])
    func hostsWithANUL(_ host: String) {
        #expect(throws: ConversationError.self) { try Origin(scheme: .https, host: host) }
    }

    @Test func userinfoIsSeparatedAndRefused() throws {
        let url = try TargetURL("http://user:secret@host/x")
        #expect(url.origin.host == "host")
        #expect(url.userinfo == "user:secret")
        #expect(!url.absoluteString.contains("secret"))
        #expect(throws: ConversationError.self) { try HTTPRequest(.get, "http://user:secret@host/x") }
        #expect(try TargetURL("http://a@evil.example@host/").origin.host == "host")
    }

    @Test func requestsAreChecked() throws {
        let missing = HTTPRequest(method: .get, scheme: nil, authority: "host", path: "/")
        #expect(throws: ConversationError.self) { try ConversationRequest(missing) }
        let odd = HTTPRequest(method: .get, scheme: "https", authority: "host", path: "no-slash")
        #expect(throws: ConversationError.self) { try ConversationRequest(odd) }
        let split = HTTPRequest(method: .get, scheme: "https", authority: "host", path: "/a HTTP/1.1\r\nX: y")
        #expect(throws: ConversationError.self) { try ConversationRequest(split) }
        let asterisk = HTTPRequest(method: .options, scheme: "https", authority: "host", path: "*")
        #expect(try ConversationRequest(asterisk).target.requestTarget == "*")
        let host = try HTTPField(checking: "Host", "other")
        let foreign = try HTTPRequest(.get, "https://host/", fields: [host.name: host.value])
        #expect(throws: ConversationError.self) { try ConversationRequest(foreign) }
    }

    @Test(arguments: [("A", "b\r\nC: d"), ("A", "b\u{0}"), ("A b", "c"), ("", "c"), (":path", "/x"), ("Ä", "b")])
    func fieldsAreChecked(name: String, value: String) {
        #expect(throws: ConversationError.self) { try HTTPField(checking: name, value) }
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.1.2.3", true), ("::1", true), ("localhost", true), ("localhost.evil.example", false),
        ("127.evil.example", false), ("10.0.0.1", false), ("128.0.0.1", false),
        ("127.0.0.1.example", false), ("0x7f.0.0.1.example", false), ("LOCALHOST.", true),
    ])
    func loopbackIsExact(host: String, isLoopback: Bool) throws {
        #expect(try Origin(scheme: .http, host: host).isLoopback == isLoopback)
        #expect(try Origin(scheme: .http, host: host).isSecure == isLoopback)
        #expect(try Origin(scheme: .https, host: host).isSecure)
    }

    @Test func printsRedacted() throws {
        let url = try TargetURL("https://host/cb?code=SECRET&page=2&SECRET2#SECRET3")
        for text in ["\(url)", String(reflecting: url), "\(Mirror(reflecting: url).children.map { "\($0)" })"] {
            #expect(!text.contains("SECRET"), "\(text)")
        }
        #expect("\(url)".contains("page=2"))
    }
}
