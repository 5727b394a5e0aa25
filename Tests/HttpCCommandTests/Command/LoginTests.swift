import Foundation
import LandscapeSupport
import Testing

/// -u, the messages about a 401, and secrets that no message has.
@Suite(.landscape, .timeLimit(.minutes(1))) struct LoginTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    @Test(arguments: [
        ("alice:wonderland", "/basic/realm1/page"), ("alice:wonderland", "/digest/md5/page"),
        ("alice:wonderland", "/digest/sha256/page"), ("alice:wonderland", "/digest/sha512-256/page"),
        ("alice:wonderland", "/digest/all/page"), ("jürgen:pässwörd€", "/basic/utf8/page"),
        ("jürgen:pässwörd€", "/digest/sha256/page"), ("carol:pass:with:colons", "/basic/realm1/page"),
    ])
    func logsIn(user: String, path: String) async throws {
        let outcome = try await sandbox.httpc("-u", user, landscape.urlString(.main, path))
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.contains("\"authenticated\""))
        #expect(outcome.errors.isEmpty)
    }

    @Test func userinfoInTheURLIsCredentials() async throws {
        let url = "http://alice:wonderland@127.0.0.1:\(landscape.port(.main))/basic/realm1/page"
        let outcome = try await sandbox.httpc(url)
        #expect(outcome.text.contains("\"authenticated\""), "\(outcome.errors)")
    }

    /// One line on standard error says why; the body is printed all the same.
    @Test(arguments: [
        (["-u", "alice:wrong"], "/basic/realm1/page", "did not accept user name and password"),
        (["-u", "alice:wrong"], "/digest/sha256/page", "(realm \"digest-sha256\")"),
        ([], "/basic/realm1/page", "use -u"),
        (
            ["-u", "alice:wonderland"], "/challenge?line=Digest%20realm=%22x%22,algorithm=SHA3,nonce=%22n%22",
            "does not know (SHA3)"
        ),
        (["-u", "alice:wonderland"], "/challenge?line=Negotiate", "by Negotiate"),
        (["-u", "alice:wonderland"], "/session/resource", "sent no challenge"),
        (["-u", "alice:wonderland", "--digest"], "/basic/realm1/page", "--digest"),
        (["-u", "alice:wonderland"], "/redirect/to/other?path=/basic/realm1/page", "--location-trusted"),
    ])
    func unansweredLoginIsExplained(options: [String], path: String, message: String) async throws {
        let outcome = try await sandbox.httpc(options + [landscape.urlString(.main, path)])
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(outcome.errors.split(separator: "\n").count == 1)
        if !path.hasPrefix("/challenge") { #expect(!outcome.output.isEmpty) }
        let failed = try await sandbox.httpc(["-f"] + options + [landscape.urlString(.main, path)])
        #expect(failed.status == 22)
        #expect(failed.output.isEmpty)
    }

    /// -u is for the typed origin; the other origin gets a request without it.
    @Test func redirectDoesNotTakeThePasswordAlong() async throws {
        let url = landscape.urlString(.main, "/redirect/to/other?path=/basic/realm1/page")
        _ = try await sandbox.httpc("-u", "alice:wonderland", url)
        let asked = landscape.requests(path: "/basic/realm1/page", origin: .other)
        #expect(asked.count == 1)
        #expect(asked.allSatisfy { $0.values(of: "Authorization").isEmpty })
        let trusted = try await sandbox.httpc("-u", "alice:wonderland", "--location-trusted", url)
        #expect(trusted.text.contains("\"authenticated\""), "\(trusted.errors)")
        let secure = landscape.urlString(.main, "/redirect/to/secure?path=/basic/realm1/page")
        let authority = try sandbox.authority(of: landscape)
        let upgraded = try await sandbox.httpc("--cacert", authority, "-u", "alice:wonderland", secure)
        #expect(upgraded.text.contains("\"authenticated\""), "\(upgraded.errors)")
    }

    /// Security rule S10: once an origin has offered Digest, it gets no password by Basic, except with --anyauth.
    @Test(arguments: [false, true]) func basicAfterDigestIsForTheAsking(isAllowed: Bool) async throws {
        let lines = "line=Digest%20realm=%22A%22,nonce=%22n%22,algorithm=SHA3&line=Basic%20realm=%22B%22"
        let options = ["-u", "alice:wonderland"] + (isAllowed ? ["--anyauth"] : [])
        _ = try await sandbox.httpc(options + [landscape.urlString(.main, "/challenge?\(lines)")])
        let sent = landscape.requests(path: "/challenge").map { $0.values(of: "Authorization") }
        #expect(sent.count == (isAllowed ? 2 : 1))
        #expect(sent.last == (isAllowed ? ["Basic YWxpY2U6d29uZGVybGFuZA=="] : []))
        // The output says why a request is sent again.
        let page = landscape.urlString(.main, "/basic/realm1/page")
        let outcome = try await sandbox.httpc(options + ["-v", page])
        #expect(
            outcome.errors.contains("* Again, now with user name and password of -u (Basic)."), "\(outcome.errors)")
    }

    /// Security rule S20: the server gets the secrets, and the output has none of them.
    @Test func verboseShowsNoSecret() async throws {
        let password = "canary-passw0rd-Zq"
        landscape.addUser("canary-user", password: password)
        let paths = ["/basic/realm1/page", "/digest/md5/page", "/redirect/chain/2?code=canary-query-1"]
        for path in paths {
            let outcome = try await sandbox.httpc(
                "-vv", "-u", "canary-user:\(password)", "-H", "X-API-Key: canary-header-77", "-b",
                "sid=canary-cookie-42", "-d", "secret=canary-body-1234", landscape.urlString(.main, path))
            #expect(outcome.status == 0, "\(outcome.errors)")
            let said = outcome.errors + outcome.text
            for secret in [password, "canary-header-77", "canary-cookie-42", "canary-body-1234", "canary-query-1"] {
                #expect(Canary.forms(of: secret, in: said) == [], "\(said)")
            }
            // The control: the same search finds the secret.
            #expect(
                Canary.forms(of: password, in: said + Data("u:\(password)!".utf8).base64EncodedString()) == [
                    "base64", "base64url",
                ])
        }
        let sent = landscape.requests(path: "/basic/realm1/page")
        let expected = Data("canary-user:\(password)".utf8).base64EncodedString()
        #expect(sent.contains { $0.values(of: "Authorization") == ["Basic \(expected)"] })
        #expect(sent.allSatisfy { $0.values(of: "X-API-Key") == ["canary-header-77"] })
        #expect(sent.allSatisfy { $0.values(of: "Cookie") == ["sid=canary-cookie-42"] })
    }

    /// Security rule S23.
    @Test func argumentsAreOverwritten() async throws {
        let gate = landscape.hold("/json")
        let url = "http://bob:canary-url@127.0.0.1:\(landscape.port(.main))/json?token=canary-query"
        let command = try RunningCommand(
            [
                "-u", "alice:canary-user", "-ualice:canary-joined", "-H", "X-Key: canary-header", "-b",
                "a=canary-cookie", "-d", "canary-data", "-e", "http://h/?canary-first", "--referer",
                "http://h/?canary-referer", "-Acanary-agent", url,
            ], in: sandbox)
        try await gate.waitForWaiters(1)
        let raw = FileManager.default.contents(atPath: "/proc/\(command.identifier)/cmdline") ?? Data()
        let line = String(decoding: raw.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
        #expect(line.contains("alice:***"))
        #expect(line.contains("127.0.0.1") && line.contains("/json?***"))
        #expect(!line.contains("canary"), "\(line)")
        gate.release()
        #expect(await command.outcome().status == 0)
        let sent = try #require(landscape.requests(path: "/json").last)
        #expect(sent.values(of: "Referer") == ["http://h/?canary-referer"])
        #expect(sent.values(of: "User-Agent") == ["canary-agent"])
    }
}
