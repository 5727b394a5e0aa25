import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// Password prompts, on a terminal that `script` provides.
@Suite(.landscape, .timeLimit(.minutes(1))) struct PromptTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    @Test func asksWithoutEcho() async throws {
        let url = landscape.urlString(.main, "/basic/realm1/page")
        let command = try RunningCommand(onTerminal: "\(BuiltProduct.httpc) -u alice \(url); stty -a", in: sandbox)
        try await command.answer("httpc: password of alice for http://127.0.0.1", "wonderland")
        let outcome = try await command.outcome(after: "speed")
        #expect(outcome.text.contains("\"authenticated\""), "\(outcome.text)")
        #expect(outcome.text.contains("(realm \"realm1\")"))
        #expect(!outcome.text.contains("wonderland"))
        #expect(outcome.text.contains(" echo "), "echo is back")
    }

    /// The typed password is for a later question of that server, too.
    @Test func basicAsksForAProfilesPassword() async throws {
        try sandbox.write(
            "[profiles.p]\nmatch = [\"\(landscape.urlString(.main, "/"))\"]\n[profiles.p.basic]\nusername = \"alice\"\n",
            to: "config/httpc/config.toml")
        let urls = ["/basic/realm1/page", "/digest/sha256/page"].map { landscape.urlString(.main, $0) }
        let command = try RunningCommand(
            onTerminal: "\(BuiltProduct.httpc) -f --basic \(urls.joined(separator: " "))", in: sandbox)
        try await command.answer("httpc: password of alice for http://127.0.0.1", "wonderland")
        let outcome = await command.outcome()
        #expect(landscape.requests(path: "/basic/realm1/page").map(\.status) == [200], "\(outcome.text)")
        #expect(landscape.requests(path: "/digest/sha256/page").map(\.status) == [401, 200], "\(outcome.text)")
    }

    /// A server that the redirect leads to is in the match, too. The person is asked once it wants a login.
    @Test func basicAsksForThePasswordOfTheMatchsOtherServers() async throws {
        let servers = [landscape.urlString(.main, "/"), landscape.urlString(.other, "/")].map { "\"\($0)\"" }
        try sandbox.write(
            "[profiles.p]\nmatch = [\(servers.joined(separator: ", "))]\n[profiles.p.basic]\nusername = \"alice\"\n",
            to: "config/httpc/config.toml")
        let url = landscape.urlString(.main, "/redirect/to/other?path=/basic/realm1/page")
        let command = try RunningCommand(onTerminal: "\(BuiltProduct.httpc) -f --basic '\(url)'", in: sandbox)
        try await command.answer("httpc: password of alice for \(landscape.urlString(.main, "")): ", "other-word")
        try await command.answer(
            "httpc: password of alice for \(landscape.urlString(.other, "")) (realm \"realm1\"): ", "wonderland")
        let outcome = await command.outcome()
        let requests = landscape.requests(origin: .other)
        #expect(requests.map(\.status) == [401, 200], "\(outcome.text)")
        #expect(requests.first?.values(of: "Authorization") == [])
    }

    /// Ctrl-C at a question works even if the signal is ignored. The shell must survive it, too.
    @Test(arguments: ["trap : INT", "trap '' INT"])
    func controlCRestoresTheTerminal(trap: String) async throws {
        let url = landscape.urlString(.main, "/basic/realm1/page")
        let next = landscape.urlString(.other, "/basic/realm1/page")
        let line = "\(trap); \(BuiltProduct.httpc) -u alice \(url) \(next); echo status=$?; stty -a"
        let command = try RunningCommand(onTerminal: line, in: sandbox)
        try await command.waitForOutput("password of alice")
        try command.type("\u{3}")
        let outcome = try await command.outcome(after: "speed")
        #expect(outcome.text.contains("status=130"), "\(outcome.text)")
        #expect(outcome.text.contains(" echo "), "echo is back")
        #expect(landscape.requests(origin: .other).isEmpty)
    }

    /// Security rule S21: no prompt for an origin that the person has not named.
    @Test func neverAsksForAnOriginThatWasNotNamed() async throws {
        let url = landscape.urlString(.main, "/redirect/to/other?path=/basic/realm1/page")
        let line = "\(BuiltProduct.httpc) -u alice --location-trusted '\(url)'"
        let outcome = try await RunningCommand(onTerminal: line, in: sandbox).outcome()
        #expect(landscape.requests(origin: .other).count == 1)
        #expect(!outcome.text.contains("password of"), "\(outcome.text)")
    }

    /// C1 and bidirectional controls, which a header field may carry in UTF-8.
    @Test func realmCannotActOnTheTerminal() async throws {
        landscape.raw.respond(
            path: "/realm",
            text: "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"red\u{9B}31m \u{202E}alert\"\r\n"
                + "Content-Length: 0\r\n\r\n")
        let url = landscape.urlString(.raw, "/realm")
        let command = try RunningCommand(
            onTerminal: "NO_COLOR=1 \(BuiltProduct.httpc) -f -u alice \(url)", in: sandbox)
        try await command.answer("password of alice", "wrong")
        let outcome = await command.outcome()
        #expect(outcome.text.contains("realm \"red\\u{9b}31m \\u{202e}alert\""), "\(outcome.text)")
        #expect(!outcome.text.unicodeScalars.contains { [0x1B, 0x9B, 0x202E].contains($0.value) })
        #expect(outcome.text.contains("did not accept"))
    }

    @Test func withoutTerminalSaysSo() async throws {
        let url = landscape.urlString(.main, "/basic/realm1/page")
        let outcome = try await sandbox.withoutTerminal("-f", "-u", "alice", url)
        #expect(outcome.errors.contains("no terminal"), "\(outcome.errors)")
    }
}
