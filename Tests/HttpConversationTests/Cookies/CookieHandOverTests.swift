import Foundation
import HttpConversationTesting
import Testing

@testable import HttpConversation

@Suite("Cookies that a web login hands over") struct CookieHandOverTests {
    private let epoch = SessionEpoch()
    private let store = CookieStore()

    private func target() throws -> TargetURL { try TargetURL("https://sp.example.com/a") }

    private func cookie(_ value: String, name: String = "SESSION") -> Cookie {
        Cookie(name: name, value: value, domain: "sp.example.com", isHostOnly: true)
    }

    private func values() throws -> [String] {
        store.cookies(for: try target()).map { "\($0.name)=\($0.value)" }.sorted()
    }

    @Test func anOlderExchangeDoesNotOverwriteOrDelete() throws {
        let old = epoch.current
        let stamp = store.handOver([cookie("new")], advancing: epoch.advance)
        #expect(stamp > old && stamp == epoch.current)
        store.store(setCookie: ["SESSION=stale; Path=/", "STATE=1; Path=/"], from: try target(), sentUnder: old)
        #expect(try values() == ["SESSION=new", "STATE=1"])
        store.store(setCookie: ["SESSION=; Path=/; Max-Age=0"], from: try target(), sentUnder: old)
        #expect(try values() == ["SESSION=new", "STATE=1"])
    }

    @Test func aNewerExchangeOverwritesCookies() throws {
        let stamp = store.handOver([cookie("new")], advancing: epoch.advance)
        store.store(setCookie: ["SESSION=renewed; Path=/"], from: try target(), sentUnder: stamp)
        #expect(try values() == ["SESSION=renewed"])
        store.store(setCookie: ["SESSION=; Path=/; Max-Age=0"], from: try target(), sentUnder: stamp)
        #expect(try values().isEmpty)
    }

    @Test func theCookiesOfAChallengeAreWithdrawnUnlessTheyChanged() throws {
        let challenge = ["STATE1=1; Path=/", "SESSION=none; Path=/"]
        store.store(setCookie: ["OTHER=kept; Path=/"] + challenge, from: try target())
        store.handOver([cookie("new")], advancing: epoch.advance)
        store.withdraw(setCookie: challenge, from: try target())
        #expect(try Set(values()) == ["OTHER=kept", "SESSION=new"])
    }

    /// A cookie that the request carried is the session's, and comes back. The caller's own was never in the store.
    @Test(arguments: [
        ("SESSION=old", nil, ["SESSION=old"]), ("A=1; SESSION=old; B=2", "A=1", ["SESSION=old"]),
        ("SESSION=none", nil, ["SESSION=none"]), ("SESSION=old", "SESSION=old", []), (nil, nil, []),
        ("SESSION=old; SESSION=other", nil, []), ("session=old; =x; SESSION", nil, []),
    ])
    func theCookieThatAChallengeReplacedComesBack(_ sent: String?, _ own: String?, _ left: [String]) throws {
        let challenge = ["SESSION=none; Path=/"]
        store.store(setCookie: challenge, from: try target())
        store.withdraw(setCookie: challenge, from: try target(), sent: sent, own: own)
        #expect(try values() == left)
        #expect(store.field(for: try target())?.value == left.first)
        // A second withdrawal, such as after a newer login, changes nothing.
        if left != ["SESSION=none"] {
            store.withdraw(setCookie: challenge, from: try target(), sent: "SESSION=older", own: nil)
        }
        #expect(try values() == left)
    }

    /// It comes back as it was, also after further requests were challenged.
    @Test(arguments: [nil, 3600, 60]) func theCookieThatComesBackIsAsItWas(lifetime: Int?) throws {
        let clock = TestClock()
        let store = CookieStore(clock: clock)
        let expiry = lifetime.map { "; Max-Age=\($0)" } ?? ""
        store.store(setCookie: ["SESSION=old; Path=/; Secure; HttpOnly; SameSite=Lax\(expiry)"], from: try target())
        let cookies = store.snapshot.cookies
        let challenges = (1...3).map { ["SESSION=none\($0); Path=/; Max-Age=90"] }
        for challenge in challenges {
            store.store(setCookie: challenge, from: try target(), sentUnder: .max, sent: "A=1; SESSION=old")
        }
        #expect(store.snapshot.cookies.map(\.value) == ["none3"])
        clock.advance(by: .seconds(70))
        for challenge in challenges { store.withdraw(setCookie: challenge, from: try target(), sent: "SESSION=old") }
        #expect(store.snapshot.cookies == (lifetime == 60 ? [] : cookies))
    }

    /// A cookie that is replaced again takes no place of others.
    @Test func oneMoreReplacementForgetsNoOther() throws {
        let names = (0..<CookieStore.maximumPerDomain).map { "C\($0)" }
        store.store(setCookie: names.map { "\($0)=old; Path=/; HttpOnly" }, from: try target())
        let cookies = store.snapshot.cookies.filter { $0.name == "C1" }
        #expect(cookies.count == 1)
        let sent = names.map { "\($0)=old" }.joined(separator: "; ")
        let challenge = names.map { "\($0)=none; Path=/" }
        store.store(setCookie: challenge, from: try target(), sentUnder: .max, sent: sent)
        store.store(setCookie: ["C0=again; Path=/"], from: try target(), sentUnder: .max, sent: "C0=none")
        store.withdraw(setCookie: ["C1=none; Path=/"], from: try target(), sent: sent)
        #expect(store.snapshot.cookies.filter { $0.name == "C1" } == cookies)
    }

    /// A challenge that sets a cookie of the same name for another path replaces none.
    @Test func aCookieThatAChallengeDidNotReplaceIsNotDoubled() throws {
        let challenge = ["SESSION=none; Path=/app"]
        store.store(setCookie: ["SESSION=old; Path=/"] + challenge, from: try target())
        #expect(store.snapshot.cookies.count == 2)
        store.withdraw(setCookie: challenge, from: try target(), sent: "SESSION=old")
        #expect(store.snapshot.cookies.map(\.path) == ["/"])
    }

    private func secure(_ value: String, name: String = "SESSION") -> Cookie {
        Cookie(name: name, value: value, domain: "sp.example.com", isHostOnly: true, isSecure: true)
    }

    /// RFC 6265bis §5.7: security rule S15.
    @Test(arguments: [
        (["http://sp.example.com/a"], "GOOD"), (["https://sp.example.com/a"], "EVIL"),
        (["http://sp.example.com/a", "https://other.example.com"], "GOOD"),
        (["http://sp.example.com/a", "https://sp.example.com/launch"], "EVIL"), ([], "GOOD"),
    ])
    func aLoginOverHTTPReplacesNoSecureCookie(_ urls: [String], _ expected: String) throws {
        store.store(setCookie: ["SESSION=GOOD; Secure; Path=/"], from: try target())
        let targets = try urls.map { try TargetURL($0) }
        HttpSession(cookies: store).handOver([cookie("EVIL"), cookie("1", name: "NEW")], from: targets)
        #expect(try values() == ["NEW=1", "SESSION=\(expected)"])
    }

    /// A longer path, or the domain of all hosts, would be sent beside or before the Secure cookie.
    @Test func aLoginOverHTTPShadowsNoSecureCookie() throws {
        let suffixes = PublicSuffixList(parsing: "com")
        let good = ["SESSION=GOOD; Secure; Path=/"]
        store.store(setCookie: good, from: try target(), sentUnder: .max, suffixes: suffixes)
        let others = [
            Cookie(name: "SESSION", value: "EVIL", domain: "sp.example.com", isHostOnly: true, path: "/a"),
            Cookie(name: "SESSION", value: "EVIL", domain: "example.com", isHostOnly: false),
        ]
        store.handOver(others, from: [try TargetURL("http://sp.example.com/a")], advancing: epoch.advance)
        #expect(try values() == ["SESSION=GOOD"])
        // An older exchange may renew a cookie that was not handed over.
        store.store(setCookie: ["SESSION=RENEWED; Secure; Path=/"], from: try target(), sentUnder: 0)
        #expect(try values() == ["SESSION=RENEWED"])
    }

    @Test func manyCookiesOfALoginOverHTTPEvictNoSecureOne() throws {
        store.store(setCookie: ["SESSION=GOOD; Secure; Path=/"], from: try target())
        let many = (0..<200).map { cookie("1", name: "N\($0)") }
        store.handOver(many, from: [try TargetURL("http://sp.example.com/a")], advancing: epoch.advance)
        #expect(try values().contains("SESSION=GOOD"))
        #expect(store.snapshot.cookies.count == CookieStore.maximumPerDomain)
    }

    /// The cookies of an application that says nothing about its login's servers.
    @Test func otherCookiesCountAsSetOverHTTPS() throws {
        store.handOver([secure("old")], advancing: epoch.advance)
        HttpSession(cookies: store).handOver([cookie("new")])
        #expect(try values() == ["SESSION=new"])
    }

    /// The list may be the conversation's, as in a session that an application has made.
    @Test func theCookieOfADomainIsWithdrawnWithTheListThatItWasStoredWith() throws {
        let suffixes = PublicSuffixList(parsing: "com")
        let challenge = ["STATE=1; Path=/; Domain=example.com"]
        store.store(setCookie: challenge, from: try target(), sentUnder: .max, suffixes: suffixes)
        #expect(store.snapshot.cookies.map(\.isHostOnly) == [false])
        store.withdraw(setCookie: challenge, from: try target(), suffixes: suffixes)
        #expect(store.snapshot.cookies.isEmpty)
    }

    @Test func theLastHandOverIsKnownByURL() throws {
        #expect(store.lastHandOver(for: try target()) == 0)
        store.insert(cookie("own", name: "OTHER"))
        #expect(store.lastHandOver(for: try target()) == 0)
        let first = store.handOver([cookie("1")], advancing: epoch.advance)
        #expect(store.lastHandOver(for: try target()) == first)
        #expect(store.lastHandOver(for: try TargetURL("https://other.example.com/")) == 0)
        let second = store.handOver([cookie("2")], advancing: epoch.advance)
        #expect(second > first)
        #expect(store.lastHandOver(for: try target()) == second)
        store.removeAll()
        #expect(store.lastHandOver(for: try target()) == 0)
    }

    @Test func aCookieConcernsAnOriginWhateverItsPath() throws {
        let origin = { (text: String) in try TargetURL(text).origin }
        let secure = Cookie(name: "a", value: "", domain: "h.example", isHostOnly: true, path: "/x", isSecure: true)
        #expect(secure.concerns(try origin("https://h.example")))
        #expect(!secure.concerns(try origin("http://h.example")))
        #expect(!secure.concerns(try origin("https://sub.h.example")))
        let wide = Cookie(name: "a", value: "", domain: "h.example", isHostOnly: false)
        #expect(wide.concerns(try origin("http://sub.h.example:81")))
        #expect(!wide.concerns(try origin("https://evilh.example")))
    }
}
