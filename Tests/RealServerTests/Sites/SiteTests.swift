import Foundation
import HttpC
import TestSupport
import Testing

extension RealServerTests.SAML2 {
    /// Service providers as they are, with a profile or a configuration that names no finish endpoint.
    @Suite(.serialized) struct Sites {
        static let kinds = WebSite.Kind.serviceProviders

        @Test("Prepared answers, and none for the next run", arguments: kinds)
        func prepared(_ kind: WebSite.Kind) async throws { try await SiteChecks.prepared(kind) }

        @Test("Typed on a terminal", arguments: kinds)
        func typed(_ kind: WebSite.Kind) async throws { try await SiteChecks.typed(kind) }

        @Test("httpc init writes a profile that gets in", arguments: [WebSite.Kind.mellonRedirect, .shibbolethPost])
        func initialised(_ kind: WebSite.Kind) async throws { try await SiteChecks.initialised(kind) }

        @Test("Chromium without a window", arguments: WebSite.Kind.browserServiceProviders)
        func chromium(_ kind: WebSite.Kind) async throws { try await SiteChecks.chromium(kind) }

        @Test("Challenged again after the session ended", arguments: kinds)
        func expiry(_ kind: WebSite.Kind) async throws { try await SiteChecks.expiry(kind) }

        @Test("A POST first, whole after the login", arguments: kinds)
        func post(_ kind: WebSite.Kind) async throws { try await SiteChecks.post(kind) }

        @Test("Two hundred conversations, one login", arguments: [WebSite.Kind.shibbolethRedirect, .mellonRedirect])
        func crowd(_ kind: WebSite.Kind) async throws { try await SiteChecks.crowd(kind) }

        @Test("Two service providers at one identity provider: one login", arguments: [false, true])
        func singleSignOn(inOneRun: Bool) async throws {
            try await SiteChecks.singleSignOn(.shibbolethRedirect, .mellonSecure, inOneRun: inOneRun)
        }
    }
}

extension RealServerTests {
    /// Relying parties of OpenID Connect and CAS, and Django's own login.
    @Suite(.serialized) struct OAuth2Sites {
        static let kinds = WebSite.Kind.relyingParties

        @Test("Prepared answers, and none for the next run", arguments: kinds)
        func prepared(_ kind: WebSite.Kind) async throws { try await SiteChecks.prepared(kind) }

        @Test("Typed on a terminal", arguments: kinds)
        func typed(_ kind: WebSite.Kind) async throws { try await SiteChecks.typed(kind) }

        @Test("httpc init writes a profile that gets in", arguments: kinds)
        func initialised(_ kind: WebSite.Kind) async throws { try await SiteChecks.initialised(kind) }

        @Test("Chromium without a window", arguments: kinds)
        func chromium(_ kind: WebSite.Kind) async throws { try await SiteChecks.chromium(kind) }

        @Test("Challenged again after the session ended", arguments: kinds)
        func expiry(_ kind: WebSite.Kind) async throws { try await SiteChecks.expiry(kind) }

        @Test("A POST first, whole after the login", arguments: kinds)
        func post(_ kind: WebSite.Kind) async throws { try await SiteChecks.post(kind) }

        @Test("Two hundred conversations, one login", arguments: [WebSite.Kind.openID, .cas, .django])
        func crowd(_ kind: WebSite.Kind) async throws { try await SiteChecks.crowd(kind) }

        @Test("Parties of OpenID Connect and CAS at one provider: one login", arguments: [false, true])
        func singleSignOn(inOneRun: Bool) async throws {
            try await SiteChecks.singleSignOn(.openIDFormPost, .cas, inOneRun: inOneRun)
        }
    }

    /// WordPress, whose protected pages take no request of ours but GET and HEAD.
    @Suite(.serialized) struct WordPress {
        static let kinds = [WebSite.Kind.wordpress]

        @Test("Prepared answers, and none for the next run", arguments: kinds)
        func prepared(_ kind: WebSite.Kind) async throws { try await SiteChecks.prepared(kind) }

        @Test("Typed on a terminal", arguments: kinds)
        func typed(_ kind: WebSite.Kind) async throws { try await SiteChecks.typed(kind) }

        @Test("httpc init writes a profile that gets in", arguments: kinds)
        func initialised(_ kind: WebSite.Kind) async throws { try await SiteChecks.initialised(kind) }

        @Test("Chromium without a window", arguments: kinds)
        func chromium(_ kind: WebSite.Kind) async throws { try await SiteChecks.chromium(kind) }

        @Test("Challenged again after the session ended", arguments: kinds)
        func expiry(_ kind: WebSite.Kind) async throws { try await SiteChecks.expiry(kind) }

        @Test("Two hundred conversations, one login", arguments: kinds)
        func crowd(_ kind: WebSite.Kind) async throws { try await SiteChecks.crowd(kind) }
    }
}

/// Checks for every site.
private enum SiteChecks {
    static func prepared(_ kind: WebSite.Kind) async throws {
        let site = try await WebSite.running(kind)
        let home = try await SiteHome(site)
        defer { home.remove() }
        let before = try site.logins()
        for _ in 0..<2 {
            let outcome = try await home.httpc(site.page)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(site.isPage(outcome.text), "\(outcome.text.prefix(500))")
        }
        #expect(try site.logins() - before == 1)
    }

    static func typed(_ kind: WebSite.Kind) async throws {
        let site = try await WebSite.running(kind)
        let home = try await SiteHome(site, isPrepared: false)
        defer { home.remove() }
        let before = try site.logins()
        let user = site.user
        let outcome = try await home.onTerminal("-sS \(site.page)", typing: [user.name, user.password])
        #expect(outcome.status == 0, "\(outcome.text)")
        // The page comes after what was asked.
        #expect(outcome.text.hasSuffix(Fixture.hello) || site.isPage(outcome.text), "\(outcome.text)")
        #expect(user.password == user.name || !outcome.text.contains(user.password))
        #expect(try site.logins() - before == 1)
    }

    static func initialised(_ kind: WebSite.Kind) async throws {
        let site = try await WebSite.running(kind)
        let home = try SiteHome(for: site)
        defer { home.remove() }
        let made = try await home.initialise(site)
        #expect(made.status == 0 && made.errors.contains(": logged in ("), "\(made.errors)")
        let outcome = try await home.httpc(site.page)
        #expect(outcome.status == 0 && site.isPage(outcome.text), "\(outcome.errors)")
    }

    static func chromium(_ kind: WebSite.Kind) async throws {
        let site = try await WebSite.running(kind)
        let home = try await SiteHome(site)
        defer { home.remove() }
        let before = try site.logins()
        let outcome = try await home.httpc("--headless", site.page)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(site.isPage(outcome.text), "\(outcome.text.prefix(500))")
        #expect(try site.logins() - before == 1)
    }

    static func expiry(_ kind: WebSite.Kind) async throws {
        let bench = try await SiteBench(kind)
        for _ in 0..<2 { #expect(bench.site.isPage(try await bench.get().text)) }
        #expect(try bench.logins == 1)
        try await bench.endSession()
        let head = try await bench.manager.data(for: HTTPRequest(.head, bench.site.page))
        #expect(head.status == .ok)
        #expect(bench.site.isPage(try await bench.get().text))
        #expect(try bench.logins == 2)
    }

    static func post(_ kind: WebSite.Kind) async throws {
        let bench = try await SiteBench(kind)
        let body = [UInt8](repeating: 0x61, count: 300_000)
        let response = try await bench.manager.data(
            for: HTTPRequest(.post, bench.site.sink), body: .bytes(body))
        let arrived = try Arrived(response.text)
        #expect(arrived.method == "POST")
        #expect(arrived.length == body.count)
        #expect(try bench.logins == 1)
    }

    static func crowd(_ kind: WebSite.Kind) async throws {
        let count = 200
        let bench = try await SiteBench(kind)
        let texts = try await RealServerTests.Parallel.inParallel(count) { _ in try await bench.get().text }
        #expect(texts.count { bench.site.isPage($0) } == count)
        #expect(try bench.logins == 1)
    }

    /// - Parameter inOneRun: whether one process asks both, or one after the other
    static func singleSignOn(_ first: WebSite.Kind, _ second: WebSite.Kind, inOneRun: Bool) async throws {
        let (first, second) = (try await WebSite.running(first), try await WebSite.running(second))
        let home = try await SiteHome(first, sharingLoginWith: second)
        defer { home.remove() }
        let before = (first: try first.logins(), second: try second.logins())
        let outcomes =
            inOneRun
            ? [try await home.httpc(first.page, second.page)]
            : [try await home.httpc(first.page), try await home.httpc(second.page)]
        for outcome in outcomes { #expect(outcome.status == 0, "\(outcome.errors)") }
        #expect(outcomes.map(\.text).joined() == Fixture.hello + Fixture.hello)
        #expect(try first.logins() - before.first == 1)
        // The log of a SAML2 provider has the logins of both.
        let both = first.server.kind == .saml ? 1 : 0
        #expect(try second.logins() - before.second == both)
    }
}
