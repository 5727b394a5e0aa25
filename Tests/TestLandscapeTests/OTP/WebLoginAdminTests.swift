import Foundation
import LandscapeSupport
import Testing

// Serialized, because each test sends many requests, and all of them at once would delay each other.
@Suite(.landscape, .serialized, .timeLimit(.minutes(1))) struct WebLoginAdminTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    private static func admin(_ landscape: Landscape, _ command: String, _ method: String = "POST") async throws -> Curl
    {
        try await Curl.run(
            "-X", method, "-H", "X-Landscape-Token: \(landscape.adminToken)",
            landscape.urlString(.main, "/admin/\(command)"))
    }

    @Test func adminAPIControlsSAMLAndOTP() async throws {
        let person = try SAMLPerson(landscape)
        for command in [
            "saml/rule?launcher=redirect-artifact&style=totp&relay-state=url&script-status=403&acs-delay=1",
            "otp/rule?throttle=7&tolerance=2&delay=5", "saml/faults?kind=tampered&times=2",
        ] {
            #expect(try await Self.admin(landscape, command).text == "done\n")
        }
        let (rule, otp) = (landscape.samlRule, landscape.otpRule)
        #expect(rule.launcher == "redirect-artifact" && rule.loginStyle == .totp && rule.relayStateIsURL)
        #expect(rule.scriptStatus == 403 && rule.assertionDelay == .milliseconds(1))
        #expect(otp.throttle == .seconds(7) && otp.tolerance == 2 && otp.delay == .milliseconds(5))
        for command in ["saml/rule?style=nonsense", "saml/rule?launcher=post", "saml/faults?kind=nonsense"] {
            #expect(try await !Self.admin(landscape, command).text.contains("done"))
        }
        let page = try await person.logIn(try await person.start("/SAMLAuthLauncher"))
        let passcode =
            try await Self.admin(landscape, "otp/passcode?user=alice", "GET").json()["passcode"] as? String
        let end = try await person.follow(try await person.submit(page, ["code": try #require(passcode)]))
        #expect(end.answer.status == 403)
        #expect(try await Self.admin(landscape, "saml/faults/clear").text == "done\n")
        #expect(try await person.start("/saml/post-post/page").user == "alice")
        let counters = try await Self.admin(landscape, "saml/counters", "GET").json()
        #expect(counters["logins"] as? Int == 1 && counters["assertionsRefused"] as? Int == 1)
        #expect(try await Self.admin(landscape, "otp/counters", "GET").json()["challenges"] as? Int == 0)
        #expect(try await Self.admin(landscape, "saml/sessions/expire").text == "done\n")
        #expect(try await person.open("/saml/post-post/page").isSelfSubmitting)
        #expect(try await Self.admin(landscape, "saml/logins/expire").text == "done\n")
        #expect(try await person.start("/saml/post-post/page").user == nil)
    }

    @Test func tableOfContentsListsSAMLAndOTP() async throws {
        let contents = landscape.tableOfContents
        for text in [
            "/SAMLAuthLauncher", "/otp/basic/…", "/idp/sso/{style}", "TOTP GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
            "/admin/saml/counters", "/admin/otp/rule",
        ] {
            #expect(contents.contains(text))
        }
    }

    @Test func aResetForgetsTheLogins() async throws {
        let person = try SAMLPerson(landscape)
        _ = try await person.logIn(try await person.start("/saml/post-post/page"))
        landscape.failAssertions(.denied, times: nil)
        landscape.reset()
        #expect(landscape.samlCounters.logins == 0)
        let form = try await person.start("/saml/post-post/page")
        #expect(form.user == nil)
        #expect(try await person.logIn(form).user == "alice")
    }
}
