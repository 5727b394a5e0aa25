import Foundation
import HttpConversation
import HttpConversationTesting
import Testing

@Suite struct CookieStoreTests {
    private static let suffixes = PublicSuffixList(parsing: "com\n*.ck\n!www.ck\ngithub.io\n// comment\nco.uk\n")

    /// The `Cookie` field of a request to `target`, after a `Set-Cookie` from `source`.
    @Test(arguments: [
        ("a=1", "http://h/", "http://h/", "a=1"),
        ("a=1", "http://h/", "http://h:8080/other", "a=1"),
        ("a=1", "http://h/", "http://sub.h/", ""),
        ("a=1; Path=/x", "http://h/", "http://h/x/y", "a=1"),
        ("a=1; Path=/x", "http://h/", "http://h/xy", ""),
        ("a=1; Path=nonsense", "http://h/d/e", "http://h/d/f", "a=1"),
        ("a=1", "http://h/d/e", "http://h/", ""),
        ("a=1; Secure", "https://h/", "http://h/", ""),
        ("a=1; Secure", "https://h/", "https://h/", "a=1"),
        ("a=1; Secure", "http://h/", "https://h/", ""),
        ("a=1; Max-Age=0", "http://h/", "http://h/", ""),
        ("a=1; Max-Age=-5", "http://h/", "http://h/", ""),
        ("a=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://h/", "http://h/", "a=1"),
        ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://h/", "http://h/", ""),
        ("a=1; Expires=Fri, 31-Dec-2100 23:59:59 GMT", "http://h/", "http://h/", "a=1"),
        ("a=1; Expires=nonsense", "http://h/", "http://h/", "a=1"),
        ("a=1; Domain=example.com", "http://www.example.com/", "http://api.example.com/", "a=1"),
        ("a=1; Domain=.EXAMPLE.com", "http://www.example.com/", "http://example.com/", "a=1"),
        ("a=1; Domain=example.com.", "http://www.example.com/", "http://www.example.com/", ""),
        ("a=1; Domain=b\u{fc}cher.com\u{3002}", "http://www.b\u{fc}cher.com/", "http://www.b\u{fc}cher.com/", ""),
        ("a=1; Domain=b\u{fc}cher.com", "http://www.b\u{fc}cher.com/", "http://b\u{fc}cher.com/", "a=1"),
        ("a=1; Domain=com", "http://www.example.com/", "http://www.example.com/", ""),
        ("a=1; Domain=github.io", "http://me.github.io/", "http://you.github.io/", ""),
        ("a=1; Domain=github.io", "http://github.io/", "http://me.github.io/", ""),
        ("a=1; Domain=x.ck", "http://y.x.ck/", "http://y.x.ck/", ""),
        ("a=1; Domain=www.ck", "http://y.www.ck/", "http://www.ck/", "a=1"),
        ("a=1; Domain=evil.com", "http://www.example.com/", "http://evil.com/", ""),
        ("a=1; Domain=127.0.0.1", "http://127.0.0.1/", "http://127.0.0.1/", "a=1"),
        ("a=1; Domain=0.0.1", "http://127.0.0.1/", "http://127.0.0.1/", ""),
        ("a=1; domain=.localhost", "http://localhost/", "http://localhost/", "a=1"),
        ("a=1; HttpOnly=1; Version=1", "http://h/", "http://h/", "a=1"),
        ("a=b=c", "http://h/", "http://h/", "a=b=c"),
        ("novalue", "http://h/", "http://h/", "novalue"),
        ("=x", "http://h/", "http://h/", "x"),
        ("", "http://h/", "http://h/", ""),
        ("a=\u{1}", "http://h/", "http://h/", ""), ("a=1\t2", "http://h/", "http://h/", "a=1\t2"),
        ("a\tb=1", "http://h/", "http://h/", "a\tb=1"), ("\ta\t=\t1\t;\tPath=\t/x\t", "http://h/", "http://h/x", "a=1"),
        ("a=1;\tPath=/", "http://h/", "http://h/", "a=1"), ("a=1\t\u{b}", "http://h/", "http://h/", ""),
        ("a=1\t\n", "http://h/", "http://h/", ""), ("a=1\t\u{85}", "http://h/", "http://h/", ""),
        ("a=1\u{85}2", "http://h/", "http://h/", ""),
        ("a=1\u{2028}2", "http://h/", "http://h/", ""), ("a=1; Path=/\u{2029}", "http://h/", "http://h/", ""),
        ("a\u{9b}=1", "http://h/", "http://h/", ""), ("\ta=1\t", "http://h/", "http://h/", "a=1"),
        ("a=\u{301}1", "http://h/", "http://h/", "a=\u{301}1"),
        ("a=1;\u{301} Path=/x", "http://h/", "http://h/", "a=1"),
        ("a=1\u{37e}2", "http://h/", "http://h/", "a=1\u{37e}2"),
        ("a\r\nX: y=1", "http://h/", "http://h/", ""),
        ("__Host-a=1; Secure; Path=/", "https://h/", "https://h/", "__Host-a=1"),
        ("__Host-a=1; Secure; Path=/x", "https://h/", "https://h/x", ""),
        ("__Host-a=1; Secure; Path=/; Domain=h", "https://h/", "https://h/", ""),
        ("__Secure-a=1", "https://h/", "https://h/", ""),
        ("=__Secure-a=1", "https://h/", "https://h/", ""), ("=__Host-\u{301}a=1", "https://h/", "https://h/", ""),
        ("__Secure-\u{301}=1", "https://h/", "https://h/", ""),
        ("__hOsT-a=1", "https://h/", "https://h/", ""),
    ])
    func followsTheStandard(setCookie: String, source: String, target: String, expected: String) throws {
        let store = CookieStore(suffixes: Self.suffixes)
        store.store(setCookie: [setCookie], from: try TargetURL(source))
        #expect(try Self.sent(store, target) == expected)
    }

    @Test func withoutASuffixListEveryCookieIsHostOnly() throws {
        let store = CookieStore()
        store.store(setCookie: ["a=1; Domain=example.com"], from: try TargetURL("http://www.example.com/"))
        #expect(try Self.sent(store, "http://www.example.com/") == "a=1")
        #expect(try Self.sent(store, "http://example.com/") == "")
    }

    @Test func ordersByPathThenAge() throws {
        let clock = TestClock()
        let store = CookieStore(clock: clock)
        for text in ["a=1; Path=/", "b=2; Path=/x/y", "c=3; Path=/x"] {
            store.store(setCookie: [text], from: try TargetURL("http://h/"))
            clock.advance(by: .seconds(1))
        }
        store.store(setCookie: ["a=new; Path=/"], from: try TargetURL("http://h/"))
        store.store(setCookie: ["z=0; Path=/"], from: try TargetURL("http://h/"))
        #expect(try Self.sent(store, "http://h/x/y") == "b=2; c=3; a=new; z=0")
    }

    @Test func cookiesExpireByTheClock() throws {
        let clock = TestClock()
        let store = CookieStore(clock: clock)
        store.store(setCookie: ["a=1; Max-Age=10"], from: try TargetURL("http://h/"))
        clock.advance(by: .seconds(9))
        #expect(try Self.sent(store, "http://h/") == "a=1")
        clock.advance(by: .seconds(1))
        #expect(try Self.sent(store, "http://h/") == "")
        #expect(store.snapshot.cookies.isEmpty)
    }

    @Test func httpNeitherOverwritesNorEvictsSecureCookies() throws {
        let store = CookieStore()
        store.store(setCookie: ["sid=good; Secure"], from: try TargetURL("https://h/"))
        store.store(setCookie: ["sid=bad"], from: try TargetURL("http://h/"))
        #expect(try Self.sent(store, "https://h/") == "sid=good")
        for index in 0..<400 { store.store(setCookie: ["flood\(index)=x"], from: try TargetURL("http://h/")) }
        #expect(try Self.sent(store, "https://h/").contains("sid=good"))
        #expect(store.snapshot.cookies.count <= 181)
    }

    /// RFC 6265bis §5.7 evicts expired cookies before it compares.
    @Test func anExpiredCookieIsNoPredecessor() throws {
        let clock = TestClock()
        let store = CookieStore(clock: clock)
        store.store(setCookie: ["sid=1; Secure; Max-Age=1"], from: try TargetURL("https://h/"))
        clock.advance(by: .seconds(2))
        store.store(setCookie: ["other=1"], from: try TargetURL("http://h/"))
        clock.advance(by: .seconds(2))
        store.store(setCookie: ["sid=2"], from: try TargetURL("http://h/"))
        #expect(try Self.sent(store, "http://h/") == "other=1; sid=2")
    }

    @Test func aDeletionIsHonouredBesideAdditions() throws {
        let store = CookieStore()
        let target = try TargetURL("http://h/")
        store.store(setCookie: ["state1=x", "state2=y"], from: target)
        store.store(setCookie: ["state3=z", "state1=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], from: target)
        #expect(try Self.sent(store, "http://h/") == "state2=y; state3=z")
    }

    @Test func snapshotsSurviveCoding() throws {
        let store = CookieStore(suffixes: Self.suffixes)
        store.store(
            setCookie: ["a=1; Secure; HttpOnly; SameSite=Lax; Domain=example.com; Max-Age=100", "b=2"],
            from: try TargetURL("https://www.example.com/x/y"))
        let data = try JSONEncoder().encode(store.snapshot)
        let copy = CookieStore(try JSONDecoder().decode(CookieStore.Snapshot.self, from: data), suffixes: Self.suffixes)
        #expect(copy.snapshot == store.snapshot)
        #expect(try Self.sent(copy, "https://www.example.com/x/z") == "a=1; b=2")
    }

    @Test func changesAreTold() async throws {
        let store = CookieStore()
        var changes = store.changes.makeAsyncIterator()
        store.store(setCookie: ["a=1"], from: try TargetURL("http://h/"))
        #expect(await changes.next() != nil)
    }

    @Test func readersGetTheLastChangeOfAReleasedStore() async throws {
        let target = try TargetURL("http://h/")
        func streams() -> (AsyncStream<CookieStore.Snapshot>, AsyncStream<Void>) {
            let store = CookieStore()
            let streams = (store.snapshots, store.changes)
            store.store(setCookie: ["a=1"], from: target)
            store.store(setCookie: ["b=2"], from: target)
            return streams
        }
        let (snapshots, changes) = streams()
        var names: [[String]] = []
        for await snapshot in snapshots { names.append(snapshot.cookies.map(\.name)) }
        #expect(names == [["a", "b"]])
        var count = 0
        for await _ in changes { count += 1 }
        #expect(count == 1)
    }

    /// The store refuses every cookie that no server could have set, from any origin of the cookie.
    @Test(arguments: [
        Cookie(name: "a", value: "1\t\n2", domain: "h", isHostOnly: true),
        Cookie(name: "a", value: "1\u{85}2", domain: "h", isHostOnly: true),
        Cookie(name: "a", value: "1;2", domain: "h", isHostOnly: true),
        Cookie(name: "a=b", value: "1", domain: "h", isHostOnly: true),
        Cookie(name: "", value: "__Host-a=1", domain: "h", isHostOnly: true, isSecure: true),
        Cookie(name: "__Host-a", value: "1", domain: "h", isHostOnly: true),
        Cookie(name: "__Secure-a", value: "1", domain: "h", isHostOnly: true),
        Cookie(name: "a", value: "1", domain: "h..", isHostOnly: true),
        Cookie(name: "a", value: "1", domain: "co.uk", isHostOnly: false),
        Cookie(name: "a", value: "1", domain: "h", isHostOnly: true, path: "x"),
    ])
    func cookiesFromElsewhereAreChecked(cookie: Cookie) {
        let store = CookieStore(.init(cookies: [cookie]), suffixes: Self.suffixes)
        #expect(store.snapshot.cookies.isEmpty)
        store.insert(cookie)
        #expect(store.snapshot.cookies.isEmpty)
    }

    @Test func removesForATarget() throws {
        let store = CookieStore()
        store.store(setCookie: ["a=1"], from: try TargetURL("http://h/"))
        store.store(setCookie: ["b=2"], from: try TargetURL("http://other/"))
        store.removeCookies(for: try TargetURL("http://h/"))
        #expect(try Self.sent(store, "http://h/") == "")
        #expect(try Self.sent(store, "http://other/") == "b=2")
    }

    private static func sent(_ store: CookieStore, _ target: String) throws -> String {
        store.cookies(for: try TargetURL(target)).map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }
            .joined(separator: "; ")
    }
}
