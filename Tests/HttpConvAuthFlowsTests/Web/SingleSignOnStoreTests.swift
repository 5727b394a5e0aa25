import Foundation
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

/// Sessions at identity providers: the cookies that are kept, their lifetime, and the logins that get them; without
/// I/O.
@Suite struct SingleSignOnStoreTests {
    private static let idp = "https://idp.example"
    private static let other = "https://other.example"

    private let clock = TestClock()
    private let storage = InMemorySingleSignOnStorage()
    private var store: SingleSignOnStore { SingleSignOnStore(storage: storage, clock: clock) }

    private func login(_ targets: [String] = ["https://sp.example/"], returnsCookies: Bool = true) throws -> WebLogin {
        let targets = try targets.map { try TargetURL($0) }
        return WebLogin(
            .saml2, start: try #require(targets.first), cookieTargets: targets, returnsCookies: returnsCookies
        ) { _ in true }
    }

    private func cookie(
        _ name: String, _ value: String = "1", _ domain: String = "idp.example", isHostOnly: Bool = true,
        expires: Date? = nil, isSecure: Bool = true
    ) -> Cookie {
        Cookie(
            name: name, value: value, domain: domain, isHostOnly: isHostOnly, expires: expires, isSecure: isSecure,
            created: clock.date)
    }

    /// Ends a login with a view that has these cookies, and returns the names that the next login gets.
    private func names(
        after cookies: [Cookie], origins: [String] = [idp], at origin: String = idp,
        keeping login: WebLogin? = nil, confirmed: [String] = [], maximumAge: Duration = .seconds(8 * 3600)
    ) async throws -> [String] {
        let policy = try SingleSignOnPolicy(origins: origins, maximumAge: maximumAge)
        let opened = (try login ?? self.login()).with(try await store.usableSessions(for: policy))
        let outcome = WebLoginOutcome(
            url: "https://sp.example/", cookies: cookies,
            confirmedOrigins: Set(try confirmed.map { try TargetURL($0).origin }))
        try await store.keep(outcome, of: opened)
        return try await next(policy, at: origin)
    }

    private func next(_ policy: SingleSignOnPolicy, at origin: String = idp) async throws -> [String] {
        let login = try login().with(try await store.usableSessions(for: policy))
        return login.singleSignOnCookies(for: try TargetURL(origin).origin).map(\.name).sorted()
    }

    // MARK: Origins

    @Test func onlyNamedOriginsAreKept() async throws {
        let cookies = [cookie("IDP"), cookie("OTHER", "1", "other.example"), cookie("SP", "1", "sp.example")]
        #expect(try await names(after: cookies) == ["IDP"])
        #expect(await storage.sessions().origins.map(\.description) == [Self.idp])
        #expect(try await next(SingleSignOnPolicy(origins: [Self.other]), at: Self.other).isEmpty)
        #expect(try await next(SingleSignOnPolicy(origins: [])).isEmpty, "an origin that a policy does not name")
    }

    /// A server of the same domain could have set these, and would get them.
    @Test func cookiesOfAWiderDomainAreNotKept() async throws {
        let cookies = [
            cookie("WIDE", "1", "example", isHostOnly: false), cookie("OWN", isHostOnly: false),
            cookie("SUB", "1", "sub.idp.example"),
        ]
        #expect(try await names(after: cookies) == ["OWN"])
        let policy = try SingleSignOnPolicy(origins: [Self.idp])
        let view = try await store.usableSessions(for: policy)
        let kept = try #require(view.cookies.values.first?.first)
        #expect(kept.isHostOnly, "no subdomain gets it")
    }

    /// The scheme is part of an origin, so plain http never gets a cookie of https.
    @Test func aCookieOfHTTPSIsForHTTPSAlone() async throws {
        #expect(try await names(after: [cookie("IDP", isSecure: false)]) == ["IDP"])
        let view = try await store.usableSessions(for: SingleSignOnPolicy(origins: [Self.idp]))
        #expect(view.cookies.values.first?.first?.isSecure == true)
        let login = try login().with(view)
        #expect(login.singleSignOnCookies(for: try TargetURL("http://idp.example/").origin).isEmpty)
        #expect(login.singleSignOnCookies(for: try TargetURL("https://idp.example:8443/").origin).isEmpty)
    }

    @Test func plainHTTPElsewhereIsRefused() {
        #expect(throws: ConversationError.self) { try SingleSignOnPolicy(origins: ["http://idp.example"]) }
        #expect(throws: Never.self) { try SingleSignOnPolicy(origins: ["http://127.0.0.1:8080", "http://localhost"]) }
        #expect(throws: ConversationError.self) { try SingleSignOnPolicy(origins: ["https://alice@idp.example"]) }
    }

    /// The cookies of the resource are the session's, even if the policy names its origin.
    @Test func theResourcesOwnCookiesAreNotKept() async throws {
        let sp = cookie("SP", "1", "sp.example")
        #expect(try await names(after: [sp], origins: ["https://sp.example"], at: "https://sp.example").isEmpty)
        let oauth = try login(["https://idp.example/authorize"], returnsCookies: false)
        #expect(try await names(after: [cookie("IDP")], keeping: oauth) == ["IDP"])
    }

    @Test func whatThePersonConfirmedCounts() async throws {
        #expect(try await names(after: [cookie("IDP")], origins: [], confirmed: [Self.idp]) == ["IDP"])
        #expect(try await names(after: [cookie("IDP")], origins: []) == ["IDP"], "also in later logins")
        try await store.removeAll()
        #expect(try await names(after: [cookie("IDP")], origins: []).isEmpty)
        #expect(
            try await names(
                after: [cookie("A", "1", "plain.example", isSecure: false)], origins: [],
                at: "http://plain.example", confirmed: ["http://plain.example"]
            ).isEmpty, "plain http on another machine")
    }

    /// A session that another profile has named is not confirmed for this one.
    @Test func namingIsNotConfirming() async throws {
        #expect(try await names(after: [cookie("IDP")]) == ["IDP"])
        #expect(try await next(SingleSignOnPolicy(origins: [Self.other])).isEmpty)
        #expect(try await next(SingleSignOnPolicy(origins: [Self.other, Self.idp])) == ["IDP"])
    }

    // MARK: Views with one cookie store

    @Test func aBrowserGetsTheSessionBesideTheOwnCookies() async throws {
        _ = try await names(after: [cookie("IDP")])
        let session = CookieStore(.init(cookies: [cookie("SP", "1", "sp.example"), cookie("THEIRS")]))
        let login = try login().with(try await store.usableSessions(for: SingleSignOnPolicy(origins: [Self.idp])))
        #expect(login.cookiesToBring(from: session).map(\.name) == ["SP", "IDP"])
        #expect(login.ownCookies(from: session).map(\.name) == ["SP"])
    }

    /// Cookies have no port: a browser would send them to the other server of the host, too.
    @Test func aBrowserGetsNoneForTheHostOfAnotherServer() async throws {
        let local = Cookie(name: "IDP", value: "1", domain: "localhost", isHostOnly: true)
        let (idp, sp) = ("http://localhost:8002", "http://localhost:8001/")
        let policy = try SingleSignOnPolicy(origins: [idp])
        let opened = try login([sp]).with(try await store.usableSessions(for: policy))
        try await store.keep(WebLoginOutcome(url: sp, cookies: [local]), of: opened)
        let next = try login([sp]).with(try await store.usableSessions(for: policy))
        #expect(next.singleSignOnCookies(for: try TargetURL(idp).origin).count == 1)
        #expect(next.cookiesToBring(from: CookieStore()).isEmpty)
        let elsewhere = try login().with(try await store.usableSessions(for: policy))
        #expect(elsewhere.cookiesToBring(from: CookieStore()).count == 1)
    }

    /// The session's own origin may renew it; the resource may have a cookie of the same name.
    @Test func aRenewedCookieIsNotTheConversations() async throws {
        _ = try await names(after: [cookie("IDP")])
        let login = try login().with(try await store.usableSessions(for: SingleSignOnPolicy(origins: [Self.idp])))
        let origin = try TargetURL(Self.idp).origin
        let (renewed, theirs) = (cookie("IDP", "2"), cookie("IDP", "3"))
        let outcome = WebLoginOutcome(
            url: "https://sp.example/", cookies: [cookie("IDP"), renewed, theirs], singleSignOn: [origin: [renewed]])
        #expect(outcome.cookies.map { login.isOfSingleSignOn($0, in: outcome) } == [true, true, false])
        #expect(login.isOfSession(cookie("IDP", "4", isHostOnly: false), at: origin))
        #expect(!login.isOfSession(cookie("IDP"), at: try TargetURL("https://idp.example:8443/").origin))
    }

    /// A view that knows ports takes only cookies of the right one; those that it was given stay.
    @Test func theViewSaysWhoSetACookie() async throws {
        _ = try await names(after: [cookie("KEPT")])
        let login = try login().with(try await store.usableSessions(for: SingleSignOnPolicy(origins: [Self.idp])))
        let found = login.cookiesForSingleSignOn(of: [cookie("KEPT"), cookie("PLANTED"), cookie("NEW")]) { cookie, _ in
            cookie.name == "NEW"
        }
        #expect(found.values.map { $0.map(\.name) } == [["KEPT", "NEW"]])
    }

    // MARK: Time

    @Test func cookiesWithoutAnExpiryAgeFromTheDayTheyWereSet() async throws {
        let policy = try SingleSignOnPolicy(origins: [Self.idp])
        #expect(try await names(after: [cookie("IDP")]) == ["IDP"])
        clock.advance(by: .seconds(3600) * 7.9)
        // Using a session does not make it last longer.
        #expect(try await names(after: [cookie("IDP"), cookie("NEW")]) == ["IDP", "NEW"])
        clock.advance(by: .seconds(3600) * 0.2)
        #expect(try await next(policy) == ["NEW"])
        #expect(try await next(SingleSignOnPolicy(origins: [Self.idp], maximumAge: .seconds(60))).isEmpty)
        #expect(
            try await next(SingleSignOnPolicy(origins: [Self.idp], maximumAge: SingleSignOnPolicy.longestAge))
                == ["IDP", "NEW"], "each profile has its own age")
        clock.advance(by: .seconds(3600) * 7 * 24)
        #expect(
            try await next(SingleSignOnPolicy(origins: [Self.idp], maximumAge: SingleSignOnPolicy.longestAge)).isEmpty)
    }

    @Test func aNewValueIsANewCookie() async throws {
        #expect(try await names(after: [cookie("IDP", "1")]) == ["IDP"])
        clock.advance(by: .seconds(3600) * 7)
        #expect(try await names(after: [cookie("IDP", "2")]) == ["IDP"])
        clock.advance(by: .seconds(3600) * 7)
        #expect(try await next(SingleSignOnPolicy(origins: [Self.idp])) == ["IDP"])
    }

    @Test func aCookieLastsUntilItsOwnExpiry() async throws {
        let month = clock.date.addingTimeInterval(30 * 86_400)
        #expect(
            try await names(after: [cookie("LONG", expires: month), cookie("PAST", expires: clock.date)]) == ["LONG"])
        clock.advance(by: .seconds(3600) * 29 * 24)
        #expect(try await next(SingleSignOnPolicy(origins: [Self.idp], maximumAge: .zero)) == ["LONG"])
        clock.advance(by: .seconds(3600) * 25)
        #expect(try await next(SingleSignOnPolicy(origins: [Self.idp])).isEmpty)
    }

    /// Otherwise a clock that was wrong once would keep a cookie for years.
    @Test func aCookieOfTheFutureIsNotUsed() async throws {
        clock.advance(by: .seconds(3600) * 1000)
        #expect(try await names(after: [cookie("IDP")]) == ["IDP"])
        clock.advance(by: .seconds(3600) * -1)
        #expect(try await next(SingleSignOnPolicy(origins: [Self.idp])).isEmpty)
    }

    @Test(arguments: [-1, 7 * 86_400 + 1]) func anAgeOutOfRangeIsRefused(seconds: Int) {
        #expect(throws: ConversationError.self) {
            try SingleSignOnPolicy(origins: [Self.idp], maximumAge: .seconds(seconds))
        }
    }

    // MARK: The end of a session

    /// The identity provider has deleted its cookies: the session ended there.
    @Test func aSessionThatEndedIsForgotten() async throws {
        #expect(try await names(after: [cookie("IDP")]) == ["IDP"])
        #expect(try await names(after: []).isEmpty)
        #expect(await storage.sessions().origins.isEmpty)
    }

    @Test func everythingIsForgotten() async throws {
        #expect(try await names(after: [cookie("IDP")]) == ["IDP"])
        try await store.removeAll()
        #expect(try await next(SingleSignOnPolicy(origins: [Self.idp])).isEmpty)
    }

    // MARK: Bounds and files

    @Test func whatAnIdentityProviderSetsIsBounded() async throws {
        let flood = (0..<300).map { cookie("C\($0)") } + [cookie("BIG", String(repeating: "x", count: 9000))]
        let kept = try await names(after: flood)
        #expect(kept.count == 50 && !kept.contains("BIG"))
        var sessions = SingleSignOnSessions()
        for number in 0..<100 {
            let origin = try TargetURL("https://h\(number).example").origin
            let cookie = Cookie(name: "A", value: "1", domain: origin.host, isHostOnly: true)
            sessions.keep([cookie], at: origin, isConfirmed: false, now: clock.date.addingTimeInterval(Double(number)))
        }
        #expect(sessions.origins.count == 50)
        #expect(sessions.origins.contains(try TargetURL("https://h99.example").origin), "the newest stay")
    }

    /// Stored cookies are checked like those of a server, so a changed file gives a cookie to no other host.
    @Test func aStoredCookieIsChecked() async throws {
        var sessions = SingleSignOnSessions()
        let origin = try TargetURL(Self.idp).origin
        sessions.keep([cookie("IDP")], at: origin, isConfirmed: false, now: clock.date)
        let text = String(decoding: try JSONEncoder().encode(sessions), as: UTF8.self)
        #expect(try decoded(text).cookies(at: origin, maximumAge: .seconds(60), now: clock.date).count == 1)
        for change in [("idp.example\"", "evil.example\""), ("\"IDP\"", "\"I\\nDP\""), ("\"IDP\"", "\"I;P\"")] {
            let changed = text.replacing("\"domain\":\"\(change.0)", with: "\"domain\":\"\(change.1)")
                .replacing("\"name\":\(change.0)", with: "\"name\":\(change.1)")
            #expect(changed != text)
            #expect(try decoded(changed).cookies(at: origin, maximumAge: .seconds(60), now: clock.date).isEmpty)
        }
    }

    private func decoded(_ text: String) throws -> SingleSignOnSessions {
        try JSONDecoder().decode(SingleSignOnSessions.self, from: Data(text.utf8))
    }

    @Test func noValueIsShown() async throws {
        _ = try await names(after: [cookie("IDP", "canary")])
        var text = ""
        dump(await storage.sessions(), to: &text)
        dump(try login().with(try await store.usableSessions(for: SingleSignOnPolicy(origins: [Self.idp]))), to: &text)
        dump(try await store.usableSessions(for: SingleSignOnPolicy(origins: [Self.idp])), to: &text)
        #expect(text.contains("idp.example") && !text.contains("canary"))
    }

    // MARK: The session

    @Test func sessionsShareAStoreOnlyByChoice() throws {
        let (one, two) = (HttpSession(), HttpSession())
        #expect(one.singleSignOn === one.singleSignOn && one.singleSignOn !== two.singleSignOn)
        two.singleSignOn = one.singleSignOn
        #expect(one.singleSignOn === two.singleSignOn)
    }
}
