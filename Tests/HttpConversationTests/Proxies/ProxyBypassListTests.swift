import HttpConversation
import Testing

/// Servers that are reached without the proxy: curl's rules for `no_proxy`.
@Suite struct ProxyBypassListTests {
    @Test(arguments: [
        ("example.com", "http://example.com"), ("example.com", "https://WWW.Example.COM.:8443"),
        (".example.com", "http://example.com"), (".example.com.", "http://a.b.example.com"),
        ("EXAMPLE.com", "http://example.com"), ("a b\texample.com", "http://example.com"),
        ("a,,b, example.com ,", "http://example.com"), ("com", "http://example.com"), ("*", "http://example.com"),
        (" * ", "https://[::1]"), ("127.0.0.1", "http://127.0.0.1:81"), ("127.0.0.0/8", "http://127.9.9.9"),
        ("10.0.0.0/9", "http://10.127.0.1"), ("10.1.2.3/32", "http://10.1.2.3"), ("::1", "http://[0:0::1]"),
        ("[::1]", "http://[::1]"), ("0:0:0::1", "http://[::1]"), ("fd00::/8", "http://[fdff::1]"),
        ("2001:db8:8000::/33", "http://[2001:db8:ffff::]"), ("[fd00::]/8", "http://[fd12::]"),
        ("bücher.example", "http://www.xn--bcher-kva.example"), ("localhost", "http://localhost:1"),
    ]) func covers(list: String, url: String) throws {
        #expect(ProxyBypassList(list).contains(try TargetURL(url).origin))
    }

    @Test(arguments: [
        ("", "http://example.com"), ("example.com", "http://notexample.com"),
        ("example.com", "http://example.com.evil.test"), ("www.example.com", "http://example.com"),
        ("..example.com", "http://example.com"), ("example.com..", "http://example.com"), (".", "http://example.com"),
        ("a,*", "http://example.com"), ("*.example.com", "http://www.example.com"), ("exam*", "http://example.com"),
        ("example.com:80", "http://example.com"), ("http://example.com", "http://example.com"),
        ("127.0.0.1:81", "http://127.0.0.1:81"), ("127.0.0.1", "http://localhost"), ("localhost", "http://127.0.0.1"),
        ("0.0.1", "http://127.0.0.1"), ("127.0.0.0/0", "http://127.0.0.1"), ("127.0.0.0/33", "http://127.0.0.1"),
        ("127.0.0.0/x", "http://127.0.0.1"), ("127.0.0.0/", "http://127.0.0.1"), ("127.0.0.0/-8", "http://127.0.0.1"),
        ("127.0.0.0/008/8", "http://127.0.0.1"), ("0177.0.0.1", "http://127.0.0.1"), ("127.1", "http://127.0.0.1"),
        ("10.0.0.0/9", "http://10.128.0.1"), ("2001:db8:8000::/33", "http://[2001:db8:7fff::]"),
        ("::ffff:127.0.0.1", "http://127.0.0.1"), ("::/64x", "http://[::1]"), ("[127.0.0.1]", "http://127.0.0.1"),
        ("::1\u{0}", "http://[::1]"), ("example.com\u{0301}", "http://example.com"),
        ("*\u{0301}", "http://example.com"),
    ]) func doesNotCover(list: String, url: String) throws {
        #expect(!ProxyBypassList(list).contains(try TargetURL(url).origin))
    }

    @Test(.timeLimit(.minutes(1))) func aHugeListIsReadAndSearchedInLinearTime() throws {
        let names = (0..<100_000).map { "h\($0).example.com" } + (0..<50_000).map { "10.\($0 >> 8).\($0 & 255).0/24" }
        let list = ProxyBypassList(names.joined(separator: ","))
        let deep = try TargetURL("http://" + String(repeating: "a.", count: 110) + "h99999.example.com").origin
        for _ in 0..<1000 {
            #expect(list.contains(deep))
        }
        #expect(list.contains(try TargetURL("http://10.195.0.7").origin))
        #expect(!list.contains(try TargetURL("http://10.196.0.7").origin))
    }
}
