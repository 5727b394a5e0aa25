import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Testing

@Suite struct PublicSuffixListTests {
    @Test func theTextIsReadOnceAndOnlyWhenItIsNeeded() {
        let reads = Box(0)
        let list = PublicSuffixList(loading: {
            reads.update { $0 += 1 }
            return "co.uk\n"
        })
        let store = CookieStore(suffixes: list)
        #expect(list.isPublicSuffix("uk"))
        #expect(store.snapshot.cookies.isEmpty && reads.value == 0)
        #expect(list.isPublicSuffix("co.uk") && !list.isPublicSuffix("example.co.uk") && reads.value == 1)
    }

    /// A rule ends at a space, and a line at any line end. Comments and parts of a rule do not count.
    @Test(
        arguments: [
            ("co.uk", true), ("uk.com", true), ("city.jp", true), ("a.kobe.jp", true), ("x.kobe.jp", false),
            ("kobe.jp", false), ("no.comment", false), ("o.uk", false), ("co.u", false), ("last.example", true),
            ("xn--p1ai", true), ("example.xn--p1ai", false), ("a.xn--90ae", true), ("www.xn--90ae", false),
        ])
    func readsEachLine(domain: String, isSuffix: Bool) {
        let list = PublicSuffixList(
            parsing:
                "// co.uk\n  CO.uk comment\r\nuk.com\r\tcity.jp\n*.kobe.jp\n!x.kobe.jp\n\n//no.comment\n*.бг\n!www.бг\nрф\nlast.example"
        )
        #expect(list.isPublicSuffix(domain) == isSuffix)
    }

    /// A suffix of one list is one, and an exception counts for the rules of its own list.
    @Test func joinedListsAreReadInTurn() {
        let reads = Box(0)
        let list = PublicSuffixList(joining: [
            PublicSuffixList(parsing: "co.uk\n*.ck\n!www.ck\n!me.uk\n"),
            PublicSuffixList(loading: {
                reads.update { $0 += 1 }
                return "me.uk\n!co.uk\n"
            }),
        ])
        #expect(list.isPublicSuffix("uk") && list.isPublicSuffix("co.uk") && list.isPublicSuffix("x.ck"))
        #expect(reads.value == 0)
        #expect(list.isPublicSuffix("me.uk") && !list.isPublicSuffix("www.ck") && !list.isPublicSuffix("a.co.uk"))
        #expect(reads.value == 1)
    }

    @Test func anEmptyListHasNoRules() {
        #expect(!PublicSuffixList(parsing: "").isPublicSuffix("co.uk"))
        #expect(!PublicSuffixList(parsing: "\n \n//").isPublicSuffix("xn--a.uk"))
    }

    /// A cookie is checked with the store's list, else with the configuration's. Without any list it is for its host
    /// alone.
    @Test(
        arguments: [
            (nil, nil, ["a.example.com"]), (nil, "com", ["a.example.com", "b.example.com"]),
            (nil, "example.com", []), ("example.com", "com", []),
            ("com", "example.com", ["a.example.com", "b.example.com"]),
        ] as [(String?, String?, [String])])
    func whoseListCounts(ofStore: String?, ofManager: String?, hosts: [String]) async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok, [.setCookie: "k=v; Domain=example.com"]) }
        let store = CookieStore(suffixes: ofStore.map { PublicSuffixList(parsing: $0) })
        let manager = testManager(transport) { configuration in
            configuration.session = HttpSession(cookies: store)
            configuration.publicSuffixes = ofManager.map { PublicSuffixList(parsing: $0) }
        }
        _ = try await manager.data(for: HTTPRequest(.get, "https://a.example.com/"))
        let sent = try ["a.example.com", "b.example.com"].filter {
            try !store.cookies(for: TargetURL("https://\($0)/")).isEmpty
        }
        #expect(sent == hosts)
    }

    /// A filter's own requests store cookies, too, if they are given a session.
    @Test func childConversationsUseTheList() async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok, [.setCookie: "k=v; Domain=example.com"]) }
        let session = HttpSession()
        let manager = testManager(transport) { configuration in
            configuration.publicSuffixes = PublicSuffixList(parsing: "com")
            configuration.responseFilters.add(
                TestFilter(onResponse: { response, context in
                    _ = try await context.start(HTTPRequest(.get, "https://a.example.com/")) { $0.session = session }
                    return .proceed
                }))
        }
        _ = try await manager.data(for: HTTPRequest(.get, "https://a.example.com/"))
        #expect(session.cookies.snapshot.cookies.map(\.isHostOnly) == [false])
    }
}
