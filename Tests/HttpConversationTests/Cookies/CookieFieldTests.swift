import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

/// The field of the last request is kept for the next one; no change may be missed by that.
@Suite struct CookieFieldTests {
    private let target: TargetURL
    private let other: TargetURL

    init() throws {
        target = try TargetURL("https://h/x/y")
        other = try TargetURL("https://h/z")
    }

    private func sent(_ store: CookieStore, _ target: TargetURL) -> String? {
        // The second time, the field may be the kept one.
        let first = store.field(for: target)?.value
        #expect(store.field(for: target)?.value == first)
        let cookies = store.cookies(for: target).map { "\($0.name)=\($0.value)" }
        #expect(cookies.joined(separator: "; ") == first ?? "")
        return first
    }

    @Test func eachChangeIsSeen() throws {
        let store = CookieStore()
        #expect(sent(store, target) == nil)
        store.store(setCookie: ["a=1; Path=/"], from: target)
        #expect(sent(store, target) == "a=1")
        store.store(setCookie: ["a=2; Path=/"], from: target)
        #expect(sent(store, target) == "a=2")
        store.store(setCookie: ["b=3; Path=/x"], from: target)
        #expect(sent(store, target) == "b=3; a=2")
        #expect(sent(store, other) == "a=2")
        store.withdraw(setCookie: ["b=3; Path=/x"], from: target)
        #expect(sent(store, target) == "a=2")
        let copy = store.snapshot
        store.removeCookies(for: target)
        #expect(sent(store, target) == nil)
        store.handOver(copy.cookies) { 1 }
        #expect(sent(store, target) == "a=2")
        store.removeAll()
        #expect(sent(store, target) == nil)
    }

    @Test func eachURLHasItsOwn() throws {
        let store = CookieStore()
        store.store(setCookie: ["a=1; Path=/; Secure"], from: target)
        #expect(sent(store, target) == "a=1")
        #expect(sent(store, try TargetURL("http://h/x/y")) == nil)
        #expect(sent(store, try TargetURL("https://other/x/y")) == nil)
        #expect(sent(store, target) == "a=1")
    }

    @Test func anExpiryIsSeen() throws {
        let clock = TestClock()
        let store = CookieStore(clock: clock)
        store.store(setCookie: ["a=1; Path=/", "b=2; Path=/; Max-Age=10"], from: target)
        #expect(sent(store, target) == "a=1; b=2")
        clock.advance(by: .seconds(10))
        #expect(sent(store, target) == "a=1")
    }
}
