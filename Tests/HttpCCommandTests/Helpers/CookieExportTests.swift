import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// `httpc cookies --netscape`: the session of a web login for wget and others.
@Suite(.landscape, .timeLimit(.minutes(1))) struct CookieExportTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private func profile() throws -> WebProfile {
        try WebProfile(landscape, in: sandbox, "web = \"terminal\"", tables: WebProfile.answers)
    }

    @Test func logsInAndWritesAFileOfItsOwner() async throws {
        let profile = try profile()
        let url = profile.url("/saml/post-post/x")
        let jar = sandbox.path("jar")
        for _ in 0..<2 {
            let outcome = try await profile.run("cookies", "--netscape", "--output", jar, url)
            #expect(outcome.status == 0 && outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome.errors)")
            #expect(sandbox.mode("jar") == 0o600)
        }
        #expect(landscape.samlCounters.logins == 1)
        let page = try await Program.run(
            "/usr/bin/wget", ["-q", "--no-proxy", "--no-hsts", "--load-cookies", jar, "-O", "-", url])
        #expect(page.status == 0 && page.text.contains("\"user\":\"alice\""), "\(page.errors)")
        #expect(landscape.samlCounters.logins == 1)
        // The identity provider's own session is not for the resource.
        let cookies = String(decoding: try #require(sandbox.read("jar")), as: UTF8.self)
        let host = try #require(URL(string: url)?.host())
        #expect(
            cookies.split(separator: "\n").allSatisfy { $0.contains("# ") || $0.contains("\(host)\t") }, "\(cookies)")
    }

    @Test func writesToADescriptorOfItsStarter() async throws {
        let profile = try profile()
        let url = profile.url("/saml/post-post/x")
        let run = { (words: String) in
            try await RunningCommand(
                ["-c", words], in: sandbox, program: "/bin/sh", environment: WebProfile.environment
            ).outcome()
        }
        let httpc = "'\(BuiltProduct.httpc)' cookies --netscape --profile work"
        let outcome = try await run(
            "\(httpc) --fd 3 '\(url)' 3>&1 >/dev/null | wget -q --no-proxy --no-hsts --load-cookies /dev/stdin -O - '\(url)'"
        )
        #expect(outcome.text.contains("\"user\":\"alice\""), "\(outcome.errors)")
        for words in [
            "--fd 3", "--fd 5", "--fd 2", "--fd -1", "--fd 3 3</dev/null", "--fd 1 --output x", "--output -", "",
        ] {
            let refused = try await run("\(httpc) \(words) '\(url)'")
            #expect(refused.status == 2 && refused.output.isEmpty, "\(words): \(refused.errors)")
        }
        #expect(landscape.samlCounters.logins == 1)
    }

    @Test func writesNothingWithoutALogin() async throws {
        let profile = try WebProfile(landscape, in: sandbox, "web = \"none\"")
        let url = profile.url("/saml/post-post/x")
        #expect(try await profile.run("cookies", "--netscape", "--output", "jar", url).status == 67)
        let outside = try await profile.run("cookies", "--netscape", "--output", "jar", profile.url("/echo"))
        #expect(outside.status == 2, "\(outside.errors)")
        let open = try await profile.run("cookies", "--netscape", "--output", "jar", profile.url("/saml/"))
        #expect(open.status == 67 && open.errors.contains("asked for no login"), "\(open.errors)")
        #expect(try await profile.run("cookies", "--output", "jar", url).status == 2)
        #expect(sandbox.read("jar") == nil)
    }
}
