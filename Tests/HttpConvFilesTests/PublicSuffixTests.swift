import Foundation
import HttpC
import Testing

@testable import HttpConvFiles

@Suite struct PublicSuffixTests {
    /// The rules as sets, read one by one as the standard describes, for comparison.
    private struct PlainList {
        var rules: Set<String> = []
        var wildcards: Set<String> = []
        var exceptions: Set<String> = []

        init(_ text: String) throws {
            for line in text.split(separator: "\n") where !line.hasPrefix("//") {
                let rule = line.prefix { !$0.isWhitespace }
                if rule.hasPrefix("!") {
                    exceptions.insert(try Self.encoded(rule.dropFirst()))
                } else if rule.hasPrefix("*.") {
                    wildcards.insert(try Self.encoded(rule.dropFirst(2)))
                } else if !rule.isEmpty {
                    rules.insert(try Self.encoded(rule))
                }
            }
        }

        private static func encoded(_ name: Substring) throws -> String { try TargetURL("http://\(name)/").origin.host }

        func isPublicSuffix(_ domain: String) -> Bool {
            if exceptions.contains(domain) { return false }
            guard let dot = domain.firstIndex(of: ".") else { return true }
            return rules.contains(domain) || wildcards.contains(String(domain[domain.index(after: dot)...]))
        }

        /// Every name in the list, with names below and above it.
        var domains: Set<String> {
            let names = rules.union(wildcards).union(exceptions)
            let below = names.flatMap { ["a.\($0)", "a.b.\($0)", "xn--a.\($0)"] }
            let above = names.compactMap { name in
                name.firstIndex(of: ".").map { String(name[name.index(after: $0)...]) }
            }
            return names.union(below).union(above)
        }
    }

    @Test func theWholeListSaysTheSame() throws {
        let text = BundledSuffixes.text.description
        let plain = try PlainList(text)
        #expect(plain.rules.count > 9000 && plain.wildcards.count > 100 && plain.exceptions.count > 5)
        for list in [PublicSuffixList(parsing: text), .bundled] {
            let different = plain.domains.filter { list.isPublicSuffix($0) != plain.isPublicSuffix($0) }
            #expect(different.isEmpty)
        }
    }

    /// Cases from the tests that come with the list: nil if the domain itself is a suffix.
    @Test(
        arguments: [
            ("example.com", "example.com"), ("b.example.com", "example.com"), ("b.example.example", "example.example"),
            ("b.domain.biz", "domain.biz"), ("a.b.example.uk.com", "example.uk.com"), ("uk.com", nil),
            ("c.kobe.jp", nil),
            ("b.c.kobe.jp", "b.c.kobe.jp"),
            ("test.ck", nil), ("b.test.ck", "b.test.ck"), ("www.www.ck", "www.ck"), ("k12.ak.us", nil),
            ("www.test.k12.ak.us", "test.k12.ak.us"), ("www.食狮.公司.cn", "食狮.公司.cn"), ("公司.cn", nil),
            ("xn--55qx5d.cn", nil), ("shishi.xn--55qx5d.cn", "shishi.xn--55qx5d.cn"), ("食狮.中国", "食狮.中国"),
        ] as [(String, String?)])
    func whoseADomainIs(domain: String, registrable: String?) throws {
        let host = try TargetURL("http://\(domain)/").origin.host
        let expected = try registrable.map { try TargetURL("http://\($0)/").origin.host }
        var names = host.split(separator: ".")[...]
        var last: String?
        while !names.isEmpty, !PublicSuffixList.bundled.isPublicSuffix(names.joined(separator: ".")) {
            last = names.joined(separator: ".")
            names = names.dropFirst()
        }
        #expect(last == expected)
        #expect(PublicSuffixList.bundled.isPublicSuffix(names.joined(separator: ".")))
    }

    @Test func exceptionsAreNoSuffixes() {
        #expect(!PublicSuffixList.bundled.isPublicSuffix("city.kobe.jp"))
        #expect(PublicSuffixList.bundled.isPublicSuffix("other.kobe.jp"))
    }

    @Test func theSystemHasAList() {
        #expect(PublicSuffixList.system.isPublicSuffix("co.uk"))
        #expect(!PublicSuffixList.system.isPublicSuffix("example.co.uk"))
    }

    /// The list of a stable Debian is years older.
    @Test func theBundledListCountsBesideTheSystems() throws {
        let old = PublicSuffixList.withBundled(PublicSuffixList(parsing: "app\nonly.example\n*.ck\n!other.ck\n"))
        for list in [old, .system] {
            #expect(list.isPublicSuffix("lovable.app") && !list.isPublicSuffix("a.lovable.app"))
        }
        #expect(old.isPublicSuffix("only.example") && !old.isPublicSuffix("other.example"))
        // The bundled list has *.ck and !www.ck: an exception of another list changes none of its rules.
        #expect(old.isPublicSuffix("other.ck") && old.isPublicSuffix("any.ck"))
        let store = CookieStore(suffixes: old)
        func cookies(_ domain: String, from host: String, to other: String) throws -> Int {
            store.store(setCookie: ["sid=1; Domain=\(domain)"], from: try TargetURL("https://\(host)/"))
            return try store.cookies(for: TargetURL("https://\(other)/")).count
        }
        #expect(try cookies("lovable.app", from: "a.lovable.app", to: "b.lovable.app") == 0)
        #expect(try cookies("a.lovable.app", from: "x.a.lovable.app", to: "y.a.lovable.app") == 1)
    }

    @Test func managersHaveTheSystemsListUnlessTheyAreGivenOne() throws {
        #expect(HttpConversationManager().configuration.publicSuffixes?.isPublicSuffix("co.uk") == true)
        var configuration = HttpConversationManager.Configuration()
        #expect(configuration.publicSuffixes == nil)
        configuration.publicSuffixes = PublicSuffixList(parsing: "")
        let manager = HttpConversationManager(configuration: configuration)
        #expect(manager.configuration.publicSuffixes?.isPublicSuffix("co.uk") == false)
    }
}
