import HttpConvPlatform
import Testing

@testable import HttpConversation

/// Cookies that several processes keep in one place.
@Suite struct CookieMergeTests {
    private func joined(
        _ kept: CookieStore.Snapshot, _ before: CookieStore.Snapshot, _ after: CookieStore.Snapshot
    ) -> CookieStore.Snapshot {
        var kept = kept
        kept.apply(changesFrom: before, to: after)
        return kept
    }

    @Test func mergeKeepsWhatOthersChanged() {
        func cookie(_ name: String, _ value: String) -> Cookie {
            Cookie(name: name, value: value, domain: "a", isHostOnly: true, created: Date(timeIntervalSince1970: 1))
        }
        let before = CookieStore.Snapshot(cookies: [cookie("mine", "1"), cookie("gone", "1"), cookie("same", "1")])
        let after = CookieStore.Snapshot(cookies: [cookie("mine", "2"), cookie("same", "1"), cookie("new", "1")])
        let kept = CookieStore.Snapshot(
            cookies: [cookie("mine", "1"), cookie("gone", "1"), cookie("same", "other"), cookie("theirs", "1")])
        let merged = joined(kept, before, after)
        let values = Dictionary(uniqueKeysWithValues: merged.cookies.map { ($0.name, $0.value) })
        #expect(values == ["mine": "2", "same": "other", "theirs": "1", "new": "1"])
    }

    /// A process that does not know another one's Secure cookie cannot have protected it from http.
    @Test func mergeReplacesNoSecureCookieOfOthers() {
        func cookie(_ value: String, isSecure: Bool, path: String = "/") -> Cookie {
            Cookie(name: "sid", value: value, domain: "a", isHostOnly: true, path: path, isSecure: isSecure)
        }
        let below = CookieStore.Snapshot(cookies: [cookie("evil", isSecure: false, path: "/app")])
        let kept = CookieStore.Snapshot(cookies: [cookie("good", isSecure: true)])
        let plain = CookieStore.Snapshot(cookies: [cookie("evil", isSecure: false)])
        let renewed = CookieStore.Snapshot(cookies: [cookie("new", isSecure: true)])
        func merged(_ before: CookieStore.Snapshot, _ after: CookieStore.Snapshot) -> [String] {
            joined(kept, before, after).cookies.map(\.value)
        }
        #expect(merged(.init(), plain) == ["good"])
        #expect(merged(.init(), below) == ["good"])
        #expect(merged(.init(), renewed) == ["new"])
        #expect(merged(kept, plain) == ["evil"], "the run's own store has allowed it")
    }
}
