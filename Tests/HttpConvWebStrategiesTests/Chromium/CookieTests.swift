#if os(Linux)
import Foundation
import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation
import LandscapeSupport
import Testing

@testable import HttpConvWebStrategies

extension ChromiumTests {
    @Suite(.landscape) struct CookieTests {
        private let landscape: Landscape

        init() throws { landscape = try .current }

        @Test func theSessionsCookiesGoIn() async throws {
            let bench = try BrowserBench(landscape)
            let cookies = bench.configuration.session.cookies
            cookies.insert(
                Cookie(name: "hidden", value: "1", domain: "127.0.0.1", isHostOnly: true, isHttpOnly: true))
            cookies.insert(
                Cookie(name: "loose", value: "2", domain: "127.0.0.1", isHostOnly: true, sameSite: "None"))
            cookies.insert(Cookie(name: "other", value: "3", domain: "other.example", isHostOnly: true))
            bench.redirect("/start", to: "/finish")
            let outcome = try await bench.perform(try bench.login())
            let sent = landscape.requests(path: "/start").flatMap { $0.values(of: "cookie") }
            #expect(sent.count == 1)
            #expect(sent.first?.split(separator: "; ").sorted() == ["hidden=1", "loose=2"])
            let back = try #require(outcome.cookies.first { $0.name == "hidden" })
            #expect(back.isHttpOnly && back.isHostOnly && back.domain == "127.0.0.1")
        }

        /// The login visits another host, whose cookies are not copied back.
        @Test func foreignCookiesStayBehind() async throws {
            let bench = try BrowserBench(landscape)
            let port = landscape.port(.raw)
            bench.redirect("/start", to: "http://localhost:\(port)/foreign", headers: "Set-Cookie: own=1\r\n")
            bench.redirect(
                "/foreign", to: "http://127.0.0.1:\(port)/finish", headers: "Set-Cookie: foreign=1; HttpOnly\r\n")
            let outcome = try await bench.perform(try bench.login())
            #expect(landscape.count(path: "/foreign") == 1)
            #expect(outcome.cookies.map(\.name) == ["own"])
        }

        @Test func noCookiesComeBackWhereNoneAreWanted() async throws {
            let bench = try BrowserBench(landscape)
            bench.redirect("/start", to: "/finish", headers: "Set-Cookie: own=1\r\n")
            let outcome = try await bench.perform(bench.login(returnsCookies: false))
            #expect(outcome.cookies == [])
        }

        @Test func secureCookiesTravelByHTTPS() async throws {
            var bench = try BrowserBench(landscape)
            bench.options.authorityPEM = landscape.certificates.authorityPEM
            bench.targets = [try TargetURL(landscape.url(.secure, "/"))]
            bench.configuration.session.cookies.insert(
                Cookie(name: "in", value: "1", domain: "127.0.0.1", isHostOnly: true, isSecure: true))
            let start = landscape.urlString(
                .secure, "/cookies/set?line=out%3D2%3B%20Secure%3B%20HttpOnly%3B%20Path%3D/&status=302&to=/finish")
            let outcome = try await bench.perform(try bench.login(from: URL(string: start)))
            #expect(outcome.cookies.map(\.name).sorted() == ["in", "out"])
            #expect(!outcome.cookies.contains { !$0.isSecure })
            #expect(landscape.requests(path: "/cookies/set").first?.values(of: "cookie") == ["in=1"])
            #expect(landscape.count(path: "/finish") == 0)
        }

        @Test(arguments: [LandscapeOrigin.secure, .expired, .wrongName])
        func aCertificateThatIsNotTrustedIsAFailure(origin: LandscapeOrigin) async throws {
            var bench = try BrowserBench(landscape)
            if origin != .secure { bench.options.authorityPEM = landscape.certificates.authorityPEM }
            let error = try await bench.failure(try bench.login(from: landscape.url(origin, "/certified")))
            #expect(error.code == .pageFailed)
            #expect(error.message.contains("certificate is not trusted"))
            #expect(landscape.count(path: "/certified") == 0)
        }

        @Test func anAuthorityThatIsNoneIsAFailure() async throws {
            var bench = try BrowserBench(landscape)
            bench.options.authorityPEM = "-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n"
            #expect(try await bench.failure(try bench.login()).code == .invalidConfiguration)
            bench.options.authorityPEM = "nothing"
            #expect(try await bench.failure(try bench.login()).code == .invalidConfiguration)
        }
    }

    @Suite struct CookieFormTests {
        @Test func aCookieSurvivesTheWayThereAndBack() throws {
            let target = try TargetURL("https://sp.example.com/")
            let cookie = Cookie(
                name: "n", value: "v", domain: "example.com", isHostOnly: false, path: "/a",
                expires: Date(timeIntervalSince1970: 4e9), isSecure: true, isHttpOnly: true, sameSite: "none")
            let parameters = BrowserCookies.parameters(of: cookie, for: [target])
            #expect(parameters["domain"]?.text == ".example.com")
            #expect(parameters["url"] == nil)
            #expect(parameters["sameSite"]?.text == "None")
            let back = try #require(BrowserCookies.cookie(parameters))
            #expect(
                back.domain == "example.com" && !back.isHostOnly && back.path == "/a" && back.expires == cookie.expires)
            #expect(back.isSecure && back.isHttpOnly)
        }

        /// A cookie with `Partitioned` belongs to the pages of one site. Elsewhere the server has another one of that
        /// name.
        @Test(
            arguments: [
                (nil, true, true), ("https://example.com", false, true), ("https://example.com", true, false),
                ("https://idp.example", true, false), ("https://idp.example", false, false),
                ("https://ample.com", false, false), ("", true, false),
            ] as [(String?, Bool, Bool)])
        func partitionsOfOtherSitesStayBehind(site: String?, isEmbedded: Bool, isKept: Bool) {
            for domain in ["sp.example.com", ".example.com", "example.com"] {
                var cookie: [String: JSONValue] = [
                    "domain": .string(domain), "name": .string("n"), "value": .string("v"),
                ]
                if let site {
                    cookie["partitionKey"] = .object([
                        "topLevelSite": .string(site), "hasCrossSiteAncestor": .bool(isEmbedded),
                    ])
                }
                #expect((BrowserCookies.cookie(.object(cookie)) != nil) == isKept, "\(domain)")
            }
        }

        @Test func hostOnlyCookiesGoByURL() throws {
            let target = try TargetURL("https://sp.example.com/")
            let own = Cookie(name: "n", value: "", domain: "sp.example.com", isHostOnly: true)
            #expect(BrowserCookies.parameters(of: own, for: [target])["url"]?.text == "https://sp.example.com/")
            #expect(BrowserCookies.parameters(of: own, for: [target])["domain"] == nil)
            let literal = Cookie(name: "n", value: "", domain: "::1", isHostOnly: true, sameSite: "None")
            let parameters = BrowserCookies.parameters(of: literal, for: [])
            #expect(parameters["url"]?.text == "http://[::1]/")
            #expect(parameters["sameSite"] == nil)
            let back = BrowserCookies.cookie(.object(["domain": .string("[::1]"), "value": .string("")]))
            #expect(back?.domain == "::1" && back?.isHostOnly == true)
        }
    }
}
#endif
