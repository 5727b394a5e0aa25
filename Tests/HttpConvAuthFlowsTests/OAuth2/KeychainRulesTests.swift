import Testing

@testable import HttpConvAuthFlows

/// The decisions about the keychain, in plain values.
@Suite("Rules of the keychain")
struct KeychainRulesTests {
    @Test func personsAreApart() {
        let pairs = [("a", "b c"), ("a b", "c"), ("a", "b"), ("a 1:b", "")]
        #expect(Set(pairs.map { KeychainRules.service($0, of: $1) }).count == pairs.count)
        #expect(KeychainRules.service("app", of: "alice") == "app 5:alice")
    }

    @Test func everyEntryIsRemoved() {
        var left = 3
        let all = KeychainRules.removeAll {
            left -= 1
            return left < 0 ? -25300 : 0
        }
        #expect(all == 0 && left == -1)
        #expect(KeychainRules.removeAll { -34018 } == -34018)
        #expect(KeychainRules.removeAll { 0 } == 0, "it ends")
    }

    @Test func failuresSayWhatToDo() {
        #expect(KeychainRules.advice(-34018).contains("keychain-access-groups"))
        #expect(KeychainRules.advice(-25308).contains("first unlock"))
        #expect(KeychainRules.advice(-1) == "")
    }
}
