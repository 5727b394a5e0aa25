import Foundation
import LandscapeSupport
import TestSupport
import Testing

/// `httpc relay` with real clients before the landscape.
@Suite(.landscape, .timeLimit(.minutes(1))) struct RelayCommandTests {
    private let landscape: Landscape
    private let sandbox: Sandbox

    init() throws { (landscape, sandbox) = (try .current, try Sandbox()) }

    /// A relay to the servers behind a SAML2 login.
    private func samlRelay(_ arguments: String...) async throws -> RunningRelay {
        let profile = try WebProfile(landscape, in: sandbox, "web = \"terminal\"", tables: WebProfile.answers)
        return try await RunningRelay(
            arguments + [profile.url("/saml/post-post")], in: sandbox, environment: WebProfile.environment)
    }

    // MARK: Logins

    @Test func twoHundredRequestsNeedOneLogin() async throws {
        let relay = try await samlRelay()
        let outcome = try await relay.curl(
            "-f", "-Z", "--parallel-max", "50", "-o", "out-#1", "\(relay.url)/x?[1-200]")
        #expect(outcome.status == 0, "\(outcome.errors)")
        for number in 1...200 {
            let text = String(decoding: sandbox.read("out-\(number)") ?? Data(), as: UTF8.self)
            #expect(text.contains("\"user\":\"alice\""))
        }
        #expect(landscape.samlCounters.logins == 1)
        #expect(await relay.end().status == 143)
        // The session is kept as after any request.
        #expect(sandbox.mode("state/httpc/work/vault.sqlite") == 0o600)
        let again = try await samlRelay()
        #expect(try await again.curl("-f", "\(again.url)/x").status == 0)
        #expect(landscape.samlCounters.logins == 1)
    }

    @Test func aSessionThatEndsIsRenewedOnce() async throws {
        let relay = try await samlRelay()
        #expect(try await relay.curl("-f", "\(relay.url)/x").status == 0)
        landscape.expireSAMLSessions()
        landscape.expireIdentityProviderSessions()
        let outcome = try await relay.curl(
            "-f", "-Z", "--parallel-max", "20", "-d", "whole", "-o", "out-#1", "\(relay.url)/x?[1-40]")
        #expect(outcome.status == 0, "\(outcome.errors)")
        for number in 1...40 {
            let text = String(decoding: sandbox.read("out-\(number)") ?? Data(), as: UTF8.self)
            #expect(text.contains("\"length\":5"), "the body arrived")
        }
        #expect(landscape.samlCounters.logins == 2)
    }

    /// A body that is larger than what is kept: the login ends before it is read (100 Continue).
    @Test func aLargeUploadLogsInFirst() async throws {
        let relay = try await samlRelay()
        try Data(count: 5 << 20).write(to: URL(filePath: sandbox.path("large")))
        let outcome = try await relay.curl("-f", "-T", "large", "\(relay.url)/x")
        #expect(outcome.text.contains("\"length\":\(5 << 20)"), "\(outcome.text) \(outcome.errors)")
        #expect(landscape.samlCounters.logins == 1)
    }

    @Test(arguments: ["client-credentials", "password"]) func oauth2(grant: String) async throws {
        try OAuth2Profile.install(grant, landscape, in: sandbox)
        let relay = try await RunningRelay(
            [landscape.urlString(.main, "/api")], in: sandbox, environment: OAuth2Profile.secrets)
        for number in 1...2 {
            let outcome = try await relay.curl("-f", "\(relay.url)/\(number)")
            #expect(outcome.text.contains("\"authenticated\":true"), "\(outcome.errors)")
        }
        landscape.expireAccessTokens()
        #expect(try await relay.curl("-f", "\(relay.url)/3").status == 0)
        #expect(landscape.oauthCounters.tokenRequests == 2)
    }

    @Test(arguments: ["machine 127.0.0.1", "default"]) func theLoginOfTheNetrcFileIsUsed(host: String) async throws {
        try sandbox.write("\(host) login alice password wonderland", to: ".netrc")
        let url = landscape.urlString(.main, "/basic/realm1/")
        for typed in [url, url.replacing("//", with: "//alice@")] {
            let relay = try await RunningRelay(["-n", typed], in: sandbox)
            let outcome = try await relay.curl("-f", "\(relay.url)/x")
            #expect(outcome.text.contains("\"user\":\"alice\""), "\(outcome.errors)")
            #expect(await relay.end().status == 143)
        }
    }

    @Test func aLoginThatFailsIsToldToBoth() async throws {
        let profile = try WebProfile(landscape, in: sandbox, "web = \"none\"")
        let relay = try await RunningRelay([profile.url("/saml/post-post")], in: sandbox)
        let outcome = try await relay.curl("-w", "%{http_code}", "\(relay.url)/x")
        #expect(outcome.text.hasSuffix("502"), "\(outcome.text)")
        let told = await relay.end().errors
        #expect(told.contains("SAML2"), "\(told)")
    }

    // MARK: Programs

    @Test(arguments: [("exit 7", 7), ("kill -9 $$", 137), ("true", 0)])
    func theStatusIsTheProgrammes(line: String, status: Int32) async throws {
        let outcome = try await sandbox.httpc(
            "relay", landscape.urlString(.main, ""), "--", "/bin/sh", "-c", "curl -sS $0/json -o out; \(line)", "{url}")
        #expect(outcome.status == status, "\(outcome.errors)")
        #expect(sandbox.read("out") != nil && outcome.output.isEmpty)
        #expect(landscape.count(path: "/json") == 1)
    }

    /// The message and the status say the same.
    @Test func theStatusAfterTheTimeLimitIsThatOfTheLimit() async throws {
        let outcome = try await sandbox.httpc(
            "relay", "-m", "0.5", landscape.urlString(.main, ""), "--", "/bin/sh", "-c", "exec sleep 60", "{url}")
        #expect(outcome.status == 28 && outcome.errors.contains("(28)"), "\(outcome.errors)")
    }

    @Test func aProgramHasStandardInput() async throws {
        let outcome = try await sandbox.httpc(
            "relay", landscape.urlString(.main, ""), "--", "curl", "-sS", "-T", "-", "{url}/upload", input: "from here")
        #expect(outcome.text.contains("\"length\":9"), "\(outcome.errors)")
    }

    @Test func aProgramHasTheShellsLimitForDescriptors() async throws {
        let line = "ulimit -S -n 512 && exec \"$0\" relay \"$1\" -- /bin/sh -c 'ulimit -S -n' {url}"
        let outcome = try await RunningCommand(
            ["-c", line, BuiltProduct.httpc, landscape.urlString(.main, "")], in: sandbox, program: "/bin/sh"
        ).outcome()
        #expect(outcome.text == "512\n", "\(outcome.errors)")
    }

    @Test func aProgramHasTheDescriptorsOfTheShell() async throws {
        let line =
            "'\(BuiltProduct.httpc)' relay '\(landscape.urlString(.main, ""))' -- curl -sS -T <(echo hello) {url}/upload"
        let outcome = try await RunningCommand(["-c", line], in: sandbox, program: "/bin/bash").outcome()
        #expect(outcome.text.contains("\"length\":6"), "\(outcome.text) \(outcome.errors)")
    }

    /// As under nohup.
    @Test func aProgramIgnoresTheSignalsThatTheShellIgnores() async throws {
        let line =
            "trap '' HUP; '\(BuiltProduct.httpc)' relay '\(landscape.urlString(.main, ""))' -- "
            + "/bin/sh -c 'kill -HUP $$; echo survived' {url}"
        let outcome = try await RunningCommand(["-c", line], in: sandbox, program: "/bin/sh").outcome()
        #expect(outcome.status == 0 && outcome.text == "survived\n", "\(outcome.errors)")
    }

    /// Nothing listens there. A real proxy would learn the secret.
    @Test func aProgramsProxyIsNotUsed() async throws {
        let proxies = ["http_proxy": "http://127.0.0.1:1", "no_proxy": "other.example"]
        let outcome = try await sandbox.httpc(
            ["relay", "--noproxy", "*", landscape.urlString(.main, ""), "--", "curl", "-sS", "{url}/bytes/3"],
            environment: proxies)
        #expect(outcome.output.count == 3, "\(outcome.errors)")
    }

    @Test func aSignalReachesTheProgram() async throws {
        let command = try RunningCommand(
            [
                "relay", landscape.urlString(.main, ""), "--", "/bin/sh", "-c",
                "trap 'echo over; exit 3' TERM; echo $0; while :; do sleep 0.01; done", "{url}",
            ], in: sandbox)
        try await command.waitForOutput("http://127.0.0.1:")
        command.signal(SIGTERM)
        let outcome = await command.outcome()
        #expect(outcome.status == 3 && outcome.text.hasSuffix("over\n"), "\(outcome.errors)")
    }

    @Test(arguments: [
        ["--", "true"], ["--", "no-such-program", "{url}"], ["--port", "0"], ["--port", "65536"],
        ["--port", "1", "--socket", "s"], ["--socket", "s", "--", "echo", "{url}"], ["--idle-timeout", "-1"],
        ["--idle-timeout", "5", "--", "echo", "{url}"],
    ])
    func wrongUsage(arguments: [String]) async throws {
        let outcome = try await sandbox.httpc(["relay", landscape.urlString(.main, "")] + arguments)
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(sandbox.names.filter { !$0.hasSuffix(".err") && !$0.hasSuffix(".out") }.isEmpty)
    }

    // MARK: Its life

    @Test func aRelayEndsWhenItIsIdle() async throws {
        let relay = try await RunningRelay(["--idle-timeout", "3", landscape.urlString(.main, "")], in: sandbox)
        // The answer takes longer than the limit.
        #expect(try await relay.curl("\(relay.url)/ticks?every=1200&count=4").text.contains("tick 3"))
        #expect(await relay.command.outcome().status == 0)
    }

    @Test func aTakenPortIsAFailure() async throws {
        let relay = try await RunningRelay([landscape.urlString(.main, "")], in: sandbox)
        let port = try #require(URL(string: relay.url)?.port)
        let outcome = try await sandbox.httpc("relay", "--port", "\(port)", landscape.urlString(.main, ""))
        #expect(outcome.status == 7 && outcome.errors.contains("Choose another --port"))
    }

    @Test func aSocketIsItsOwners() async throws {
        let path = sandbox.path("relay.sock")
        let relay = try await RunningRelay(["--socket", path, landscape.urlString(.main, "")], in: sandbox)
        #expect(relay.url == path && sandbox.mode("relay.sock") == 0o600)
        let answer = try await relay.curl("--unix-socket", path, "-w", "%{http_code}", "http://localhost/bytes/0")
        #expect(answer.text == "200")
        let other = try await sandbox.httpc("relay", "--socket", path, landscape.urlString(.main, ""))
        #expect(other.status == 7 && other.errors.contains("Another program listens"))
        #expect(await relay.end().status == 143)
        #expect(sandbox.mode("relay.sock") == nil)
        #expect(!sandbox.names.contains { $0.hasPrefix(".httpc-") })
    }

    @Test func theSocketOfALaterRelayStays() async throws {
        let path = sandbox.path("relay.sock")
        let first = try await RunningRelay(["--socket", path, landscape.urlString(.main, "")], in: sandbox)
        try FileManager.default.removeItem(atPath: path)
        let second = try await RunningRelay(["--socket", path, landscape.urlString(.main, "")], in: sandbox)
        #expect(await first.end().status == 143)
        #expect(try await second.curl("--unix-socket", path, "-f", "http://localhost/json").status == 0)
        #expect(await second.end().status == 143)
        #expect(sandbox.mode("relay.sock") == nil)
    }

    /// A client in another directory finds it.
    @Test func aSocketsPathIsTold() async throws {
        let line =
            "cd '\(sandbox.path(""))' && exec '\(BuiltProduct.httpc)' relay --socket s '\(landscape.urlString(.main, ""))'"
        let command = try RunningCommand(["-c", line], in: sandbox, program: "/bin/sh")
        try await command.waitForOutput("\n")
        #expect(command.outputSoFar == sandbox.path("s") + "\n")
        command.signal(SIGTERM)
        #expect(await command.outcome().status == 143)
        #expect(sandbox.mode("s") == nil)
    }

    @Test func aSocketThatWasLeftIsReplacedAndAFileIsNot() async throws {
        let path = sandbox.path("relay.sock")
        let first = try await RunningRelay(["--socket", path, landscape.urlString(.main, "")], in: sandbox)
        first.command.signal(SIGKILL)
        _ = await first.command.outcome()
        let second = try await RunningRelay(["--socket", path, landscape.urlString(.main, "")], in: sandbox)
        #expect(try await second.curl("--unix-socket", path, "-f", "http://localhost/json").status == 0)
        try sandbox.write("mine", to: "file")
        let third = try await sandbox.httpc("relay", "--socket", sandbox.path("file"), landscape.urlString(.main, ""))
        #expect(third.status == 23 && sandbox.read("file") == Data("mine".utf8))
    }

    // MARK: Streams

    @Test func eventsArriveAsTheyAreSent() async throws {
        let relay = try await RunningRelay([landscape.urlString(.main, "")], in: sandbox)
        let reader = try RunningCommand(
            ["-sSN", "\(relay.url)/ticks?every=10"], in: sandbox, program: "/usr/bin/curl")
        try await reader.waitForOutput("data: tick 5\n")
        reader.signal(SIGTERM)
        _ = await reader.outcome()
        #expect(await relay.end().status == 143)
    }

    /// Debug builds are slow, and so is the landscape: a size that would be seen.
    @Test func transfersTakeConstantMemory() async throws {
        let size = 160 << 20
        let relay = try await RunningRelay([landscape.urlString(.main, "")], in: sandbox)
        _ = try await relay.curl("-o", "small", "\(relay.url)/bytes/1000000")
        let before = try relay.peakMemory()
        let download = try await relay.curl("-f", "-o", "large", "\(relay.url)/stream/\(size)?chunk=65521")
        #expect(download.status == 0, "\(download.errors)")
        let upload = try await relay.curl("-f", "-T", "large", "\(relay.url)/upload")
        #expect(upload.text.contains("\"length\":\(size)"), "\(upload.errors)")
        #expect(try relay.peakMemory() - before < 40 << 10, "\(before) KiB before")
    }
}
