import Foundation
import LandscapeSupport
import Testing

/// An unrequested SAML2 login page is never taken for the resource.
@Suite(.landscape, .timeLimit(.minutes(1))) struct LoginPageTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private func check(
        _ outcome: RunningCommand.Outcome, _ landscape: Landscape, path: String, _ sandbox: Sandbox
    ) {
        #expect(outcome.status == 67, "\(outcome.errors)")
        #expect(outcome.output.isEmpty, "\(outcome.text)")
        #expect(outcome.errors.contains("\(landscape.urlString(.main, "")) answered with a SAML2 login"))
        #expect(outcome.errors.contains("[profiles.NAME.saml2]\n"))
        let isMarked = path.contains("post-post") && !path.contains("noheader")
        #expect(outcome.errors.contains("finish-endpoint = ") == isMarked, "SAP's own way, for SAP's servers")
        #expect(sandbox.read("out") == nil)
        #expect(landscape.count(path: path) == 1, "it was asked")
    }

    @Test(arguments: [
        "post-post", "post-post-noheader", "post-post-chunks", "post-post-utf16", "redirect-post",
        "redirect-post-noheader", "post-post-401", "post-post-403", "post-post-detour",
    ])
    func withoutAProfile(variant: String) async throws {
        for options in [[], ["-o", "out"], ["-f"], ["-i"], ["-d", "body"], ["-sS", "-o", "out", "-f"]] {
            let sandbox = try Sandbox()
            try await withLandscape { landscape in
                let path = "/saml/\(variant)/x"
                let outcome = try await sandbox.withoutTerminal(options + [landscape.urlString(.main, path)])
                check(outcome, landscape, path: path, sandbox)
                #expect(landscape.count(path: "/idp/sso/plain") == 0, "the identity provider is not asked")
            }
        }
    }

    /// The answer to HEAD has no page: the header field or the redirect shows the login.
    @Test(arguments: ["post-post", "redirect-post", "redirect-post-noheader"]) func head(variant: String) async throws {
        let path = "/saml/\(variant)/x"
        check(
            try await sandbox.withoutTerminal("-I", landscape.urlString(.main, path)), landscape, path: path,
            sandbox)
    }

    @Test(arguments: ["post-post", "redirect-post"]) func namesBothParties(variant: String) async throws {
        let outcome = try await sandbox.withoutTerminal(landscape.urlString(.main, "/saml/\(variant)/x"))
        let (provider, identityProvider) = (landscape.urlString(.main, ""), landscape.identityProvider())
        #expect(outcome.errors.contains("  match = [\"\(provider)/\"]\n"), "\(outcome.errors)")
        #expect(outcome.errors.contains("  answer-origins = [\"\(provider)\", \"\(identityProvider)\"]\n"))
    }

    /// The message's advice works exactly as written.
    @Test func theAdviceIsAProfile() async throws {
        let url = landscape.urlString(.main, "/saml/post-post/x")
        let advice = try await sandbox.withoutTerminal(url).errors.split(separator: "\n").dropFirst()
        try sandbox.write(advice.joined(separator: "\n"), to: "config/httpc/config.toml")
        let outcome = try await sandbox.withoutTerminal(
            "--answer", "user=alice", "--answer", "password=wonderland", url)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("\"user\":\"alice\""))
    }

    /// A profile without SAML2, and a profile whose match does not cover the page.
    @Test(arguments: [
        ("[profiles.work]\nmatch = [\"BASE/\"]\n", "[profiles.work.saml2]\n"),
        (
            "[profiles.work]\nmatch = [\"BASE/redirect\"]\n[profiles.work.saml2]\nfinish-endpoint = \"/x\"\nfinish-parameter = \"y\"\n",
            "add \"BASE/\" to match."
        ),
    ])
    func profileThatDoesNotKnowIt(text: String, advice: String) async throws {
        let base = landscape.urlString(.main, "")
        try sandbox.write(text.replacing("BASE", with: base), to: "config/httpc/config.toml")
        let outcome = try await sandbox.withoutTerminal("--profile", "work", base + "/saml/post-post/x")
        #expect(outcome.status == 67)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(advice.replacing("BASE", with: base)), "\(outcome.errors)")
    }

    /// With -u, a login page with 200 is still detected, and a 401 is handled as in curl.
    @Test func withUser() async throws {
        let page = try await sandbox.withoutTerminal(
            "-u", "alice:x", landscape.urlString(.main, "/saml/post-post/x"))
        check(page, landscape, path: "/saml/post-post/x", sandbox)
        let url = landscape.urlString(.main, "/saml/post-post-401/x")
        let refused = try await sandbox.withoutTerminal("-u", "alice:x", url)
        #expect(refused.status == 0)
        #expect(refused.text.contains("SAMLRequest"))
        let failed = try await sandbox.withoutTerminal("-f", "-u", "alice:x", url)
        #expect(failed.status == 22)
        #expect(failed.output.isEmpty)
    }

    @Test func silentSaysNothing() async throws {
        let outcome = try await sandbox.withoutTerminal("-s", landscape.urlString(.main, "/saml/post-post/x"))
        #expect(outcome.status == 67)
        #expect(outcome.output.isEmpty && outcome.errors.isEmpty)
    }

    /// Other pages, and pages that the user requested by their URL.
    @Test func whatIsNoLoginPagePasses() async throws {
        let tool = "<form method=post action=/decode><textarea name=SAMLRequest></textarea></form>"
        let text = "<p>The hidden field SAMLRequest carries it.</p>"
        let form = "<form method=post action=x><input type=hidden name=SAMLRequest value=x></form>"
        for (path, body, type) in [
            ("/tool", tool, "text/html"), ("/text", text, "text/html"), ("/plain", form, "text/plain"),
            ("/asked?SAMLRequest=x", form, "text/html"),
        ] {
            let answer =
                "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            landscape.raw.respond(path: String(path.prefix { $0 != "?" }), text: answer)
            let outcome = try await sandbox.withoutTerminal(landscape.urlString(.raw, path))
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.text == body)
        }
        let redirect = try await sandbox.withoutTerminal(
            "--no-location", "-i", landscape.urlString(.main, "/saml/redirect-post/x"))
        #expect(redirect.status == 0, "\(redirect.errors)")
        #expect(redirect.text.contains("SAMLRequest="))
    }
}
