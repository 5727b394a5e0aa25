import Foundation
import LandscapeSupport
import TestSupport
import Testing

// Serialized, because each test sends many requests, and all of them at once would delay each other.
@Suite(.landscape, .serialized, .timeLimit(.minutes(1))) struct SAMLChallengeTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    @Test(arguments: ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"])
    func theFormIsTheSameForEveryMethod(method: String) async throws {
        let person = try SAMLPerson(landscape)
        let arguments = method == "HEAD" ? ["-I"] : ["-X", method]
        let page = try await person.open("/saml/post-post/page", arguments + ["-H", "Accept: application/json"])
        #expect(page.answer.status == 200 && page.answer["content-type"] == "text/html")
        #expect(page.answer["com.sap.cloud.security.login"] == "login-request")
        #expect(page.isSelfSubmitting == (method != "HEAD"))
        if method != "HEAD" {
            #expect(page.answer.body.contains("action=\"http&#58;&#x2f;&#x2f;localhost&#58;"))
            #expect(page.answer.body.contains("value=\"ss&#58;mem&#58;"))
            #expect(page.form?.fields["RelayState"]?.hasPrefix("ss:mem:") == true)
        }
        let silent = try await person.open("/saml/post-post-noheader/page", arguments)
        #expect(silent.answer["com.sap.cloud.security.login"] == nil)
        #expect(landscape.samlCounters.challenges == 2)
    }

    @Test func challengesByRule() async throws {
        let person = try SAMLPerson(landscape)
        let script = ["-H", "X-Requested-With: XMLHttpRequest"]
        #expect(try await person.open("/saml/post-post/page", script).answer.status == 200)
        landscape.samlRule.scriptStatus = 403
        for (page, status) in [
            (try await person.open("/saml/post-post/page", script), 403),
            (try await person.open("/saml/post-post-401/page"), 401),
            (try await person.open("/saml/post-post-chunks/page"), 200),
        ] {
            #expect(page.answer.status == status && page.isSelfSubmitting)
        }
        let wide = try await Curl.run(landscape.urlString(.main, "/saml/post-post-utf16/page"))
        let decoded = try #require(String(data: wide.output, encoding: .utf16))
        #expect(HTMLForm(decoded)?.fields["SAMLRequest"] != nil)
        let redirect = try await person.open("/saml/redirect-post/page", ["-X", "PUT"])
        #expect(redirect.answer.status == 302 && redirect.answer.parameter("SAMLRequest") != nil)
        #expect(redirect.answer.parameter("RelayState")?.hasPrefix("ss:mem:") == true)
        landscape.samlRule.relayStateIsURL = true
        let url = landscape.urlString(.main, "/saml/post-post/page?a=b&c=d")
        #expect(try await person.request(url).form?.fields["RelayState"] == url)
        #expect(try await person.logIn(try await person.follow(try await person.request(url))).user == "alice")
        for unknown in ["post", "artifact-post", "post-redirect", "post-post-nonsense"] {
            #expect(try await person.open("/saml/\(unknown)/page").answer.status == 404)
        }
    }

    @Test(arguments: ["post-post-detour", "redirect-artifact-detour"])
    func aDetourLeadsToTheChallenge(variant: String) async throws {
        let person = try SAMLPerson(landscape)
        let url = landscape.urlString(.main, "/saml/\(variant)/page?a=b&c=d")
        let detour = try await person.request(url).answer
        #expect(detour.status == 303 && detour.parameter("ReturnTo") == url)
        #expect(detour.target == landscape.urlString(.main, "/saml/detour"))
        #expect(landscape.samlCounters.challenges == 0)
        let end = try await person.logIn(try await person.follow(try await person.request(url)))
        #expect(end.user == "alice" && end.url.absoluteString == url)
        for target in ["http://attacker.example/saml/x", landscape.urlString(.main, "/oauth2/authorize")] {
            let page = try await person.open("/saml/detour?variant=\(variant)&ReturnTo=\(target)")
            #expect(page.answer.status == 400)
        }
    }

    @Test func stateCookiesAreManyButNotMoreThanTwenty() async throws {
        landscape.samlRule.setsStateCookies = true
        let person = try SAMLPerson(landscape)
        func cookies() throws -> Int {
            try String(contentsOf: person.cookies.url, encoding: .utf8).components(separatedBy: "_saml_state%3A")
                .count
                - 1
        }
        for _ in 0..<23 { _ = try await person.open("/saml/post-post/page") }
        #expect(try cookies() == 20)
        _ = try await person.logIn(try await person.start("/saml/post-post/page"))
        #expect(try cookies() == 19)
    }

    /// Python inflates the request that was deflated here, and the landscape reads one that Python deflated.
    @Test func exchangesDeflatedRequestsWithPython() async throws {
        let person = try SAMLPerson(landscape)
        let redirect = try await person.open("/saml/redirect-post/page").answer
        let request = try #require(redirect.parameter("SAMLRequest"))
        let script = """
            import base64, sys, urllib.parse, zlib
            text = zlib.decompress(base64.b64decode(sys.argv[1]), -15)
            assert text.startswith(b"<samlp:AuthnRequest ") and text.endswith(b"</samlp:AuthnRequest>"), text
            packer = zlib.compressobj(int(sys.argv[2]), zlib.DEFLATED, -15)
            packed = packer.compress(text + b" " * int(sys.argv[3])) + packer.flush()
            print(urllib.parse.quote(base64.b64encode(packed), safe=""))
            """
        // Trailing spaces do no harm, up to the maximum length of a request.
        for (level, spaces) in [("0", 0), ("1", 0), ("9", 0), ("9", 1000), ("9", 100_000)] {
            let outcome = try await Program.run(
                "/usr/bin/env", ["python3", "-c", script, request, level, String(spaces)])
            try #require(outcome.status == 0, "\(outcome.errors)")
            let packed = outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)
            let page = try await person.request((redirect.target ?? "") + "?SAMLRequest=\(packed)")
            let isUnderstood = page.form?.fields["password"] == ""
            #expect(isUnderstood == (spaces < 65_536), "level \(level): \(page.answer.body)")
        }
        for broken in ["", "AAAA", "%2F%2F%2F%2F"] {
            let page = try await person.request((redirect.target ?? "") + "?SAMLRequest=\(broken)")
            #expect(page.answer.status == 400)
        }
    }
}
