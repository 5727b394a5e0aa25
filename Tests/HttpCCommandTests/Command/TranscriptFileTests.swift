import Foundation
import LandscapeSupport
import Testing

/// `--har` and `--trace`.
@Suite(.landscape, .timeLimit(.minutes(1))) struct TranscriptFileTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    private static let options = ["--har", "kept.har", "--trace", "kept.html"]

    private static func entries(_ sandbox: Sandbox) throws -> [[String: Any]] {
        let data = try #require(sandbox.read("kept.har"))
        let document = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        return (document["log"] as? [String: Any])?["entries"] as? [[String: Any]] ?? []
    }

    @Test func severalURLsAreInOneFile() async throws {
        try sandbox.write("old", to: "kept.har", mode: 0o644)
        let urls = ["/json", "/basic/realm1/x", "/status/500"].map { landscape.urlString(.main, $0) }
        let arguments = Self.options + ["-f", "-u", "alice:wonderland"] + urls
        let outcome = try await sandbox.httpc(arguments)
        #expect(outcome.status == 22, "\(outcome.errors)")
        #expect(try Self.entries(sandbox).count == landscape.requests().count)
        let page = String(decoding: sandbox.read("kept.html") ?? Data(), as: UTF8.self)
        for url in urls { #expect(page.contains("<h1>GET \(url)</h1>")) }
        for name in ["kept.har", "kept.html"] {
            #expect(sandbox.mode(name) == 0o600)
            let text = String(decoding: sandbox.read(name) ?? Data(), as: UTF8.self)
            #expect(Canary.forms(of: "alice:wonderland", in: text) == [])
        }
        #expect(sandbox.names.filter { $0.hasPrefix("kept") } == ["kept.har", "kept.html"])
    }

    @Test(
        arguments: [
            (["--har", "-"], 2), (["--trace", "-"], 2), (["--har", "x", "--trace", "x"], 2), (["--har", "none/x"], 23),
            (["--trace", "."], 23), (["-f", "--trace", "none/x"], 22),
        ] as [([String], Int32)])
    func whatCannotBeWrittenIsSaid(_ arguments: [String], status: Int32) async throws {
        let url = landscape.urlString(.main, "/status/404")
        let outcome = try await sandbox.httpc(arguments + ["-o", "body", url])
        #expect(outcome.status == status)
        #expect(
            outcome.errors.contains("--har") || outcome.errors.contains("Cannot")
                || outcome.errors.contains("--trace"))
        #expect(landscape.requests().isEmpty == (status == 2))
    }

    /// The HAR may go to a terminal. Programs read the escapes as the same text.
    @Test(arguments: ["kept.har", "/dev/stdout"]) func nothingInItSteersATerminal(file: String) async throws {
        let value = "text/plain; x=a\u{202E}b\u{9B}c"
        landscape.raw.respond(
            path: "/steering", text: "HTTP/1.1 200 OK\r\nContent-Type: \(value)\r\nContent-Length: 0\r\n\r\n")
        let url = landscape.urlString(.raw, "/steering")
        let outcome = try await sandbox.httpc("--har", file, "-o", "body", url)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let data = file == "kept.har" ? try #require(sandbox.read(file)) : outcome.output
        let text = String(decoding: data, as: UTF8.self)
        // The transcript has written them out already.
        #expect(text.contains(#"x=a\\u{202e}b\\u{9b}c"#), "\(text)")
        #expect(text.unicodeScalars.allSatisfy { !"\u{202E}\u{9B}".unicodeScalars.contains($0) })
        // Laid out as before.
        #expect(text.hasPrefix("{\n  \"log\""))
        let document = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        let entries = (document["log"] as? [String: Any])?["entries"] as? [[String: Any]]
        let content = (entries?.first?["response"] as? [String: Any])?["content"] as? [String: Any]
        #expect((content?["mimeType"] as? String)?.contains(#"a\u{202e}b"#) == true, "\(text)")
    }

    @Test func otherCommandsKeepThemToo() async throws {
        try OAuth2Profile.install("client-credentials", landscape, in: sandbox)
        for arguments in [
            ["login", "--profile", "work"], ["odata", landscape.urlString(.main, "/service/open/v4/")],
        ] {
            let outcome = try await sandbox.httpc(arguments + Self.options, environment: OAuth2Profile.secrets)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try Self.entries(sandbox).isEmpty == false)
            #expect(sandbox.mode("kept.html") == 0o600)
        }
        let refused = try RunningCommand(
            ["login", "--profile", "work"] + Self.options, in: sandbox, environment: ["SECRET": "wrong-secret"])
        #expect(await refused.outcome().status == 67)
        #expect(try Self.entries(sandbox).isEmpty == false)
        #expect(
            String(decoding: sandbox.read("kept.har") ?? Data(), as: UTF8.self).contains("wrong-secret") == false)
    }
}
